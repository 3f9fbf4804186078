'use strict';

(function (disco2) {
  const { element } = disco2;
  const FEATURES = 5; // that are shown by name
  const PAIRS = 8;
  const WORDS = 6;

  /**
   * @typedef {Object} Part One row of the table: what it adds to the score of each sense.
   * @property {string} name
   * @property {string} group bias, arguments, pairs, features or rounding
   * @property {number[]} values one for each sense
   * @property {string} [note]
   * @property {number} [chain] place of its chain, for its colour
   * @property {boolean} [inner] a share of the row above, not added again
   */

  /**
   * The score of each sense as rows of terms that add up to it.
   * @param {Object} view
   * @returns {Part[]}
   */
  function partsOf(view) {
    const senses = view.senses;
    const chains = new Map(view.chains.map(({ chain }, place) => [chain, place]));
    const values = (read) => senses.map(read);
    const parts = [
      { name: 'Bias', group: 'bias', note: 'a constant of the sense', values: values((one) => one.bias) },
      {
        name: hasWords(senses[0]) ? 'Text' : 'Arguments',
        group: 'arguments',
        note: hasWords(senses[0]) ? wordNote(senses[0].words) : 'how the vectors of the two roots go together',
        values: values((one) => one.arguments),
      },
    ];
    senses[0].pairs.slice(0, PAIRS).forEach((pair, n) => {
      parts.push({
        name: `${pair.arg1.text} ~ ${pair.arg2.text}`,
        group: 'pairs',
        note: 'entity pair',
        chain: chains.get(pair.chain),
        values: values((one) => one.pairs[n].value),
      });
    });
    const more = Math.max(0, senses[0].pairs.length - PAIRS);
    const others = senses[0].other_pairs.reduce((sum, { count }) => sum + count, 0);
    if (more + others) {
      parts.push({
        name: `${more + others} more entity pairs`,
        group: 'pairs',
        values: values((one) => total(one.pairs.slice(PAIRS)) + total(one.other_pairs)),
      });
    }
    if (!hasWords(senses[0]) || senses[0].features.length) parts.push(...featureParts(senses));
    if (senses.some((one) => Math.abs(one.rounding) >= 0.005)) {
      parts.push({ name: 'Rounding', group: 'rounding', values: values((one) => one.rounding) });
    }
    return parts;
  }

  const hasWords = (sense) => sense.words.length > 0;

  /** The words without which the score of a sense would fall most. An approximation: they don't add up. */
  function wordNote(words) {
    const spelled = words.filter(({ text }) => /[\p{L}\p{N}]/u.test(text)); // no commas and full stops
    const strongest = spelled.sort((one, other) => Math.abs(other.value) - Math.abs(one.value)).slice(0, WORDS);
    const shown = strongest.map(({ text, value }) => `${text} ${disco2.signed(value)}`);
    return `the encoder's reading; words that matter most, approximately: ${shown.join(', ')}`;
  }

  /** All features together, and by name those that add to the first sense, or take from it, most. */
  function featureParts(senses) {
    const tables = senses.map((one) => new Map(one.features.map(({ name, value }) => [name, value])));
    const strongest = senses[0].features.slice(0, FEATURES).map(({ name }) => name);
    const all = {
      name: 'Features',
      group: 'features',
      note: featureNote(senses[0].features.length),
      values: senses.map((one) => total(one.features)),
    };
    const named = strongest.map((name) => ({
      name,
      group: 'features',
      inner: true,
      values: tables.map((table) => table.get(name) || 0),
    }));
    return [all, ...named];
  }

  function featureNote(count) {
    return count > FEATURES ? `${count} of them; the strongest:` : '';
  }

  function total(terms) {
    return terms.reduce((sum, { value }) => sum + value, 0);
  }

  const GROUP_NAMES = {
    bias: 'the bias',
    arguments: 'the arguments',
    pairs: 'the entity pairs',
    features: 'the features',
    rounding: 'the rounding',
  };

  /**
   * "Expansion.Conjunction wins over Contingency.Cause by 0.41; most of it comes from the features."
   * @param {Object} view
   */
  function verdict(view) {
    const [first, second] = view.senses;
    if (!second) return `${first.sense} is the only outcome.`;
    const parts = partsOf(view).filter((part) => !part.inner);
    const gains = new Map();
    for (const { group, values } of parts) gains.set(group, (gains.get(group) || 0) + values[0] - values[1]);
    const sorted = [...gains].sort((one, other) => other[1] - one[1]);
    const [best, gain] = sorted[0];
    const [worst, loss] = sorted[sorted.length - 1];
    const ahead = first.score - second.score;
    const opening = `${first.sense} wins over ${second.sense} by ${disco2.plain(ahead)}; `;
    if (gain <= 0) return `${opening}no part alone speaks for it.`;
    const share = gain >= ahead / 2 ? 'most of it comes from' : 'the largest share comes from';
    const names = hasWords(first) ? { ...GROUP_NAMES, arguments: 'the text' } : GROUP_NAMES;
    const told = `${opening}${share} ${names[best]} (${disco2.signed(gain)})`;
    if (loss > -0.05) return `${told}.`;
    return `${told}, and most against it from ${names[worst]} (${disco2.signed(loss)}).`;
  }

  /**
   * The parts of the scores as a table with bars that go left from the middle for what speaks against a sense.
   * @param {Object} view
   */
  function scoreTable(view) {
    const parts = partsOf(view);
    const largest = Math.max(0.01, ...parts.flatMap((part) => part.values.map(Math.abs)));
    const caption = 'What adds to the score of each sense, and what takes from it';
    const table = element('table', { class: 'd2-score' }, element('caption', {}, caption));
    const head = element('tr', {}, element('th', { scope: 'col' }, 'Part'));
    for (const { sense, probability } of view.senses) {
      head.append(
        element(
          'th',
          { scope: 'col', class: disco2.colourClass(sense) },
          element('span', { class: 'd2-sense-name' }, ...breakable(sense)),
          ' ',
          element('span', { class: 'd2-count' }, disco2.percent(probability)),
        ),
      );
    }
    table.append(element('thead', {}, head));
    const body = element('tbody');
    for (const part of parts) body.append(partRow(part, largest));
    table.append(body, element('tfoot', {}, totalRow(view)));

    /** @param {number} chain -1 for none */
    function choose(chain) {
      for (const row of body.rows) {
        row.classList.toggle('d2-chosen', chain >= 0 && row.dataset.chain === String(chain));
      }
    }

    return { table, choose };
  }

  /** A sense that may be broken behind its dots. */
  function breakable(sense) {
    return sense.split('.').flatMap((piece, n) => (n ? ['.', element('wbr'), piece] : [piece]));
  }

  function partRow({ name, note, values, chain, inner }, largest) {
    const colour = chain === undefined ? '' : ` d2-pair ${disco2.chainClass(chain)}`;
    const heading = element('th', { scope: 'row' }, element('span', { class: 'd2-part-name' }, name));
    if (chain !== undefined) {
      heading.prepend(element('b', { class: 'd2-entity-letter' }, disco2.chainLetter(chain)), ' ');
    }
    if (note) heading.append(' ', element('span', { class: 'd2-note' }, note));
    const kind = inner ? 'd2-inner-part' : 'd2-part';
    const row = element('tr', { class: kind + colour, 'data-chain': chain }, heading);
    for (const value of values) {
      const number = element('span', { class: 'd2-number' }, disco2.signed(value));
      row.append(element('td', {}, number, divergingBar(value / largest)));
    }
    return row;
  }

  function totalRow(view) {
    const row = element('tr', {}, element('th', { scope: 'row' }, 'Score, the sum'));
    for (const { score } of view.senses) {
      row.append(element('td', {}, element('span', { class: 'd2-number' }, disco2.signed(score))));
    }
    return row;
  }

  /** @param {number} share -1 to 1 */
  function divergingBar(share) {
    const filled = element('span', { class: share < 0 ? 'd2-against' : 'd2-for' });
    filled.style.inlineSize = `${(50 * Math.min(1, Math.abs(share))).toFixed(1)}%`;
    return element('span', { class: 'd2-diverging', 'aria-hidden': 'true' }, filled);
  }

  Object.assign(disco2, { scoreTable, verdict });
})(window.disco2);
