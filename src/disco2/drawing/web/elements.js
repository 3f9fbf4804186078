'use strict';

/**
 * The drawing of relations, for the served page and for pages that carry their data. All scripts put their
 * functions into this one object; `disco2.show` (relations.js) is what others call.
 */
window.disco2 = window.disco2 || {};

(function (disco2) {
  const SVG = 'http://www.w3.org/2000/svg';

  /**
   * An element with attributes and children. Text goes in as text nodes, never as markup.
   * @param {string} name
   * @param {Object<string, string|number|boolean|null|undefined>} [attributes] false, null, undefined: left out
   * @param {...(Node|string)} children
   * @returns {HTMLElement}
   */
  function element(name, attributes, ...children) {
    return filled(document.createElement(name), attributes, children);
  }

  /**
   * The same for a shape of an SVG.
   * @param {string} name
   * @param {Object<string, string|number|boolean|null|undefined>} [attributes]
   * @param {...(Node|string)} children
   * @returns {SVGElement}
   */
  function shape(name, attributes, ...children) {
    return filled(document.createElementNS(SVG, name), attributes, children);
  }

  function filled(made, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === false || value === null || value === undefined) continue;
      made.setAttribute(name, value === true ? '' : String(value));
    }
    made.append(...children);
    return made;
  }

  /**
   * A button that calls `action`.
   * @param {string} text
   * @param {(event: MouseEvent) => void} action
   * @param {Object<string, string|number|boolean>} [attributes]
   * @returns {HTMLElement}
   */
  function button(text, action, attributes) {
    const made = element('button', { type: 'button', class: 'd2-button', ...attributes }, text);
    made.addEventListener('click', action);
    return made;
  }

  let made = 0;

  /** An id that no other element of the page has. @param {string} stem */
  function freshId(stem) {
    made += 1;
    return `d2-${stem}-${made}`;
  }

  /**
   * Turns offsets that count characters, as all JSON of disco2 does, into those of a JavaScript string, which
   * counts an emoji as two.
   * @param {string} text
   * @returns {(offset: number) => number}
   */
  function offsetsOf(text) {
    const pairs = []; // where in the string each character of two units begins
    for (let place = 0; place < text.length; place += 1) {
      if (text.codePointAt(place) > 0xffff) {
        pairs.push(place);
        place += 1;
      }
    }
    return (offset) => {
      let low = 0;
      let high = pairs.length; // the k-th pair lies before the offset if its place less k does
      while (low < high) {
        const middle = (low + high) >> 1;
        if (pairs[middle] - middle < offset) low = middle + 1;
        else high = middle;
      }
      return offset + low;
    };
  }

  /** A small grey paragraph. @param {string} text */
  function remark(text) {
    return element('p', { class: 'd2-note' }, text);
  }

  Object.assign(disco2, { element, shape, button, freshId, offsetsOf, remark });
})(window.disco2);
