'use strict';

(function (disco2) {
  const { element } = disco2;

  /**
   * Put a text on the clipboard, the old way where the new one is not allowed.
   * @param {string} text
   * @returns {Promise<boolean>} whether it is there
   */
  async function copyText(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return copiedFromField(text);
    }
  }

  function copiedFromField(text) {
    const before = document.activeElement;
    const field = element('textarea', { class: 'd2-hidden', readonly: true, 'aria-hidden': 'true' });
    field.value = text;
    document.body.append(field);
    field.select();
    let done = false;
    try {
      done = document.execCommand('copy');
    } catch {
      done = false;
    }
    field.remove();
    if (before instanceof HTMLElement) before.focus();
    return done;
  }

  /** Offer a text as a file. @param {string} name @param {string} text @param {string} type */
  function download(name, text, type) {
    const address = URL.createObjectURL(new Blob([text], { type }));
    const link = element('a', { href: address, download: name, class: 'd2-hidden' });
    document.body.append(link);
    link.click();
    link.remove();
    window.setTimeout(() => URL.revokeObjectURL(address), 10000);
  }

  // What a style sheet may say about a shape, and what holds where nobody says anything.
  const LOOKS = {
    fill: 'rgb(0, 0, 0)',
    'fill-opacity': '1',
    stroke: 'none',
    'stroke-width': '1px',
    'stroke-opacity': '1',
    'stroke-dasharray': 'none',
    'stroke-linecap': 'butt',
    'stroke-linejoin': 'miter',
    opacity: '1',
  };
  const LETTERS = ['font-family', 'font-size', 'font-weight', 'text-anchor'];

  /**
   * The trees as they are shown now, as a file that needs nothing else. Colours and lines become attributes of
   * the shapes: the programs that make slides know neither names of colours nor most selectors.
   * @param {SVGSVGElement} svg on the page
   */
  function standaloneSvg(svg) {
    const copy = /** @type {SVGSVGElement} */ (svg.cloneNode(true));
    copy.setAttribute('role', 'img');
    copy.removeAttribute('style');
    const shown = [...svg.querySelectorAll('*')];
    [...copy.querySelectorAll('*')].forEach((part, n) => {
      for (const name of ['role', 'tabindex', 'aria-label']) part.removeAttribute(name);
      if (part.localName === 'title' || part.localName === 'desc') return;
      const look = getComputedStyle(shown[n]);
      if (look.display === 'none') part.remove();
      for (const [name, usual] of Object.entries(LOOKS)) {
        const value = look.getPropertyValue(name);
        if (value !== usual && (part.localName !== 'g' || name === 'opacity')) part.setAttribute(name, value);
      }
      if (part.localName !== 'text') return;
      for (const name of LETTERS) part.setAttribute(name, look.getPropertyValue(name));
    });
    return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
  }

  Object.assign(disco2, { copyText, download, standaloneSvg });
})(window.disco2);
