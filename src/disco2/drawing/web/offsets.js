'use strict';

(function (disco2) {
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

  disco2.offsetsOf = offsetsOf;
})(window.disco2);
