'use strict';

(function (disco2) {
  const { element } = disco2;
  const FIRST = 5; // shown at once

  /**
   * The probabilities of all outcomes that were allowed as bars with numbers, the less probable ones folded.
   * @param {Object} relation
   */
  function probabilityBars(relation) {
    const all = disco2.outcomes(relation);
    const highest = Math.max(0.5, all.length ? all[0][1] : 0);
    const rows = all.map(([sense, probability]) => row(sense, probability, highest));
    const box = element('div', { class: 'd2-probabilities' }, list(rows.slice(0, FIRST)));
    if (rows.length > FIRST) {
      const rest = all.slice(FIRST).reduce((sum, [, probability]) => sum + probability, 0);
      const summary = `${rows.length - FIRST} more, together ${disco2.percent(rest)}`;
      box.append(element('details', {}, element('summary', {}, summary), list(rows.slice(FIRST))));
    }
    return box;
  }

  function list(rows) {
    return element('ul', { class: 'd2-bars' }, ...rows);
  }

  function row(sense, probability, highest) {
    return element(
      'li',
      { class: disco2.colourClass(sense) },
      element('span', { class: 'd2-bar-name' }, sense),
      bar(probability / highest),
      element('span', { class: 'd2-bar-number' }, disco2.percent(probability)),
    );
  }

  /** A bar that fills a share of its track. @param {number} share 0 to 1 */
  function bar(share) {
    const filled = element('span', { class: 'd2-bar-filled' });
    filled.style.inlineSize = `${(100 * Math.min(1, Math.max(0, share))).toFixed(1)}%`;
    return element('span', { class: 'd2-bar', 'aria-hidden': 'true' }, filled);
  }

  Object.assign(disco2, { probabilityBars, bar });
})(window.disco2);
