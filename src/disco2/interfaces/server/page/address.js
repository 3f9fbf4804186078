'use strict';

(function (disco2) {
  const LONGEST = 100000; // characters of an address that browsers and most programs still take

  /**
   * What the address says: the text, how its paragraphs end, the chosen relation (-1: none).
   * @returns {{text: string, paragraphs: string, relation: number} | null} null where it has no text
   */
  function readAddress() {
    const given = new URLSearchParams(window.location.hash.slice(1));
    const text = given.get('text');
    if (text === null) return null;
    const paragraphs = given.get('paragraphs') || 'blank';
    const relation = Number.parseInt(given.get('relation') || '', 10);
    return {
      text,
      paragraphs: ['blank', 'line', 'none'].includes(paragraphs) ? paragraphs : 'blank',
      relation: relation >= 0 ? relation : -1,
    };
  }

  /**
   * The address of a state, empty where it would be too long.
   * @param {{text: string, paragraphs: string, relation: number}} state
   */
  function addressOf({ text, paragraphs, relation }) {
    let hash;
    try {
      hash = `#text=${encodeURIComponent(text)}`;
    } catch {
      return ''; // half an emoji has no address
    }
    if (paragraphs !== 'blank') hash += `&paragraphs=${paragraphs}`;
    if (relation >= 0) hash += `&relation=${relation}`;
    const address = window.location.origin + window.location.pathname + hash;
    return address.length > LONGEST ? '' : address;
  }

  /**
   * Make the address say what the page shows.
   * @param {{text: string, paragraphs: string, relation: number}} state
   * @param {boolean} asNew whether the way back leads to what was shown before
   */
  function writeAddress(state, asNew) {
    const address = addressOf(state) || window.location.pathname;
    if (address === window.location.href) return;
    window.history[asNew ? 'pushState' : 'replaceState'](null, '', address);
  }

  Object.assign(disco2, { readAddress, addressOf, writeAddress });
})(window.disco2);
