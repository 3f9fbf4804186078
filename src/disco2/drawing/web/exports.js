'use strict';

/** What leaves the page: the clipboard, and files (CSV, SVG, PNG). */
(function (disco2) {
  const { element, shape } = disco2;
  const MARGIN = 24; // around the text of a picture
  const SCALE = 2; // pixels of a PNG for one of the page
  const LARGEST = 16000; // pixels of a side of a PNG that browsers can draw

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

  /** Offer a text or a Blob as a file. @param {string} name @param {string|Blob} content @param {string} type */
  function download(name, content, type) {
    const address = URL.createObjectURL(new Blob([content], { type }));
    const link = element('a', { href: address, download: name, class: 'd2-hidden' });
    document.body.append(link);
    link.click();
    link.remove();
    window.setTimeout(() => URL.revokeObjectURL(address), 10000);
  }

  /** Rows as CSV (RFC 4180, with line feeds). @param {Array<Array<string|number>>} rows */
  function csv(rows) {
    const cell = (value) => (/[",\n\r]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : String(value));
    return rows.map((row) => `${row.map(cell).join(',')}\n`).join('');
  }

  /** The relations of a result: the columns of `disco2 predict --form csv`, and the gloss. @param {Object} result */
  function relationsCsv(result) {
    const places = (spans) => spans.map(({ start, end }) => `${start}-${end}`).join(',');
    const header = ['document', 'index', 'kind', 'sense', 'probability', 'presence', 'connective', 'connective_spans',
      'arg1', 'arg1_spans', 'arg2', 'arg2_spans', 'gloss'];
    const rows = result.relations.map((one) => [
      result.document ?? 'text', one.index, one.kind, one.sense, one.probability, one.presence ?? '',
      one.connective, places(one.connective_parts ?? []), one.arg1.text, places(one.arg1.parts ?? [one.arg1]),
      one.arg2.text, places(one.arg2.parts ?? [one.arg2]), disco2.glossOf(one),
    ]);
    return csv([header, ...rows]);
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
   * A drawing as it is shown now, without a style sheet. Colours and lines become attributes of the shapes: the
   * programs that make slides know neither names of colours nor most selectors.
   * @param {SVGSVGElement} svg on the page
   */
  function styledCopy(svg) {
    const copy = /** @type {SVGSVGElement} */ (svg.cloneNode(true));
    for (const name of ['style', 'aria-hidden', 'focusable']) copy.removeAttribute(name);
    copy.setAttribute('role', 'img');
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
    return copy;
  }

  /** The text with its arcs as one drawing. @param {HTMLElement} box of running_text.js */
  function textDrawing(box) {
    const flow = box.querySelector('.d2-flow');
    const origin = flow.getBoundingClientRect();
    const svg = styledCopy(flow.querySelector('.d2-arcs'));
    const [width, height] = [origin.width + 2 * MARGIN, origin.height + 2 * MARGIN];
    const [x, y] = [-MARGIN, -MARGIN];
    for (const [name, value] of Object.entries({ width, height, viewBox: `${x} ${y} ${width} ${height}` })) {
      svg.setAttribute(name, value);
    }
    svg.querySelectorAll('.d2-arc-target').forEach((target) => target.remove());
    svg.prepend(shape('rect', { x, y, width, height, fill: getComputedStyle(box).backgroundColor }));
    for (const label of flow.querySelectorAll('.d2-arc-label')) {
      const [rect, look] = [label.getBoundingClientRect(), getComputedStyle(label)];
      svg.append(shape('rect', {
        x: rect.left - origin.left, y: rect.top - origin.top, width: rect.width, height: rect.height,
        rx: rect.height / 2, fill: look.backgroundColor, stroke: look.borderTopColor, 'stroke-width': 1.5,
      }));
    }
    svg.append(...wordsOf(flow, origin));
    return svg;
  }

  /** Every word where it stands now. */
  function wordsOf(flow, origin) {
    const pen = document.createElement('canvas').getContext('2d');
    const nodes = document.createTreeWalker(flow, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    const made = [];
    while (nodes.nextNode()) {
      const node = nodes.currentNode;
      const look = getComputedStyle(node.parentElement);
      pen.font = look.font;
      const ascent = pen.measureText('x').fontBoundingBoxAscent;
      for (const found of node.data.matchAll(/\S+/g)) {
        range.setStart(node, found.index);
        range.setEnd(node, found.index + found[0].length);
        const rect = range.getBoundingClientRect();
        if (!rect.width) continue;
        made.push(shape('text', {
          x: rect.left - origin.left, y: rect.top - origin.top + ascent, fill: look.color,
          'font-family': look.fontFamily, 'font-size': look.fontSize, 'font-weight': look.fontWeight,
          'font-style': look.fontStyle, 'text-decoration': node.parentElement.matches('.d2-stated') ? 'underline' : null,
        }, found[0]));
      }
    }
    return made;
  }

  /** @param {string} name without its ending @param {SVGSVGElement} drawing of styledCopy or textDrawing */
  function saveSvg(name, drawing) {
    download(`${name}.svg`, markupOf(drawing), 'image/svg+xml');
  }

  function markupOf(drawing) {
    return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(drawing)}\n`;
  }

  /** The same as a picture of pixels. */
  async function savePng(name, drawing) {
    const address = URL.createObjectURL(new Blob([markupOf(drawing)], { type: 'image/svg+xml' }));
    const image = new Image();
    image.src = address;
    await image.decode();
    const scale = Math.min(SCALE, LARGEST / Math.max(image.width, image.height));
    const canvas = element('canvas', { width: Math.round(scale * image.width), height: Math.round(scale * image.height) });
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(address);
    download(`${name}.png`, await new Promise((done) => canvas.toBlob(done, 'image/png')), 'image/png');
  }

  Object.assign(disco2, { copyText, download, csv, relationsCsv, styledCopy, textDrawing, saveSvg, savePng });
})(window.disco2);
