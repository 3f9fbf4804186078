'use strict';

(function (disco2) {
  const { element } = disco2;

  /**
   * Which colours mean what, for the classes that this text has.
   * @param {Object} result
   */
  function legend(result) {
    const counts = new Map();
    let explicit = 0;
    for (const relation of result.relations) {
      const name = disco2.classOf(relation.sense);
      counts.set(name, (counts.get(name) || 0) + 1);
      if (relation.kind === 'Explicit') explicit += 1;
    }
    const rank = (name) => (disco2.CLASSES.indexOf(name) + 99) % 99; // strangers behind the six known ones
    const names = [...counts.keys()].sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));
    const list = element('ul', { class: 'd2-legend', 'aria-label': 'What the colours mean' });
    for (const name of names) {
      list.append(entry(`d2-swatch ${disco2.colourClass(name)}`, name, counts.get(name)));
    }
    if (explicit) {
      list.append(entry('d2-swatch d2-swatch-dashed', 'explicit: a connective says it', explicit));
    }
    if (names.length) list.append(element('li', {}, 'thicker line: more probable'));
    return list;
  }

  function entry(swatch, name, count) {
    return element(
      'li',
      {},
      element('span', { class: swatch, 'aria-hidden': 'true' }),
      `${name} `,
      element('span', { class: 'd2-count' }, `\u00d7${count}`),
    );
  }

  disco2.legend = legend;
})(window.disco2);
