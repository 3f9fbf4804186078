// The search runs in a worker, and browsers refuse workers to pages that were opened as files. There, and only
// there, an invisible frame does the worker's work.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.appendChild(frame);
      this.frame = frame;
      const inside = frame.contentWindow;
      const load = (source) =>
        new Promise((done, failed) => {
          const script = inside.document.createElement("script");
          script.src = new URL(source, location.href);
          script.onload = done;
          script.onerror = failed;
          inside.document.body.appendChild(script);
        });
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      inside.importScripts = (...sources) =>
        sources.reduce((before, source) => before.then(() => load(source)), Promise.resolve());
      this.ready = load(url);
    }

    postMessage(data) {
      this.ready.then(() => {
        const inside = this.frame.contentWindow;
        inside.dispatchEvent(new inside.MessageEvent("message", { data }));
      });
    }

    terminate() {
      this.frame.remove();
    }
  };
}
