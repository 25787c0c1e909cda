// Search, when the pages are read from a disk: browsers start no workers there, so a frame does a worker's work.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = Object.assign(document.createElement("iframe"), { hidden: true });
      document.body.appendChild(this.frame);
      const inside = this.frame.contentWindow;
      addEventListener("message", (event) => {
        if (event.source !== inside) return;
        const told = new MessageEvent("message", { data: event.data });
        this.dispatchEvent(told);
        if (this.onmessage) this.onmessage(told);
      });
      inside.document.open();
      inside.document.write(
        "<script>var postMessage = (data) => parent.postMessage(data, '*');" +
          "var importScripts = (...urls) => Promise.all(urls.map((url) => new Promise((done) => {" +
          "const script = document.createElement('script'); script.src = url; script.onload = done;" +
          "document.body.appendChild(script); })));</script><body>" +
          `<script src="${url}"></script></body>`
      );
      inside.document.close();
    }
    postMessage(data) {
      const send = () => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }));
      if (this.frame.contentDocument.readyState === "complete") send();
      else this.frame.contentWindow.addEventListener("load", send);
    }
    terminate() {
      this.frame.remove();
    }
  };
}
