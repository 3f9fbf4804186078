'use strict';

/** Made-up texts to begin with, and the comparison of the two versions of the first. */
(function (disco2) {
  const { element } = disco2;
  const ROWS = 6; // of the comparison

  const examples = [
    {
      name: 'Bob and Tina',
      versions: [
        { name: 'She', text: 'Bob gave Tina the burger. She was hungry.' },
        { name: 'He', text: 'Bob gave Tina the burger. He was hungry.' },
      ],
    },
    {
      name: 'A story',
      text:
        'Lena missed the last train. She had lost track of time in the library. Her phone was dead, so she could ' +
        'not call anyone. Then it began to rain. She ran to the old bridge and waited under it. An hour later a ' +
        'taxi stopped. She was wet and cold, but she was happy.',
    },
    {
      name: 'News',
      text:
        'The bridge over the harbour is closed. Inspectors found cracks in two pillars on Monday. Traffic now goes ' +
        'through the old town, so many drivers arrive late. The mayor promised quick repairs. However, the city has ' +
        'no money for them. Several other projects are also delayed. For example, the new school will open a year later.',
    },
    {
      name: 'A recipe',
      text:
        'Heat the oven to 180 degrees. Mix the flour with the sugar and the eggs. Butter the tin so that the cake ' +
        'does not stick. Pour the dough into it. Bake the cake for forty minutes. If the top turns dark, cover it ' +
        'with foil. Let it cool before you cut it.',
    },
    {
      name: 'With connectives',
      text:
        'The oven was broken. However, Paul had promised a cake. Therefore, he called his sister. She owns a bakery. ' +
        'She was tired, but she said yes. Paul was happy because everybody liked the cake, although it was late.\n\n' +
        'Ants can\u2019t fly. They follow trails of scent instead.',
    },
  ];

  /**
   * The probabilities of one relation in several versions of a text, side by side.
   * @param {Array<{name: string, relation: Object}>} versions the first one decides the order of the senses
   * @param {number} current place of the version that is shown
   */
  function comparison(versions, current) {
    const tables = versions.map(({ relation }) => new Map(disco2.outcomes(relation)));
    const of = (sense) => Math.max(...tables.map((table) => table.get(sense) || 0));
    const senses = [...new Set(tables.flatMap((table) => [...table.keys()]))];
    senses.sort((one, other) => of(other) - of(one));
    const highest = Math.max(0.3, of(senses[0]));
    const head = element('tr', {}, element('th', { scope: 'col' }, 'Sense'));
    versions.forEach(({ name }, n) => {
      head.append(element('th', { scope: 'col', class: n === current ? 'd2-current' : null }, withWord(name)));
    });
    head.append(element('th', { scope: 'col' }, 'Change'));
    const body = element('tbody');
    for (const sense of senses.slice(0, ROWS)) {
      const row = element('tr', { class: disco2.colourClass(sense) }, element('th', { scope: 'row' }, sense));
      tables.forEach((table, n) => {
        const value = table.get(sense) || 0;
        row.append(
          element(
            'td',
            { class: n === current ? 'd2-current' : null },
            disco2.bar(value / highest),
            element('span', { class: 'd2-bar-number' }, disco2.percent(value)),
          ),
        );
      });
      const [before, after] = [tables[0], tables[tables.length - 1]].map((table) =>
        Math.round(100 * (table.get(sense) || 0)),
      );
      const unit = Math.abs(after - before) === 1 ? 'point' : 'points'; // of the figures as they are shown
      row.append(element('td', { class: 'd2-change' }, `${disco2.signed(after - before, 0)} ${unit}`));
      body.append(row);
    }
    const caption = element('caption', {}, 'The same sentences but for one word');
    return element('table', { class: 'd2-comparison' }, caption, element('thead', {}, head), body);
  }

  /**
   * What the comparison shows, in words.
   * @param {Array<{name: string, relation: Object}>} versions two of them
   */
  function comparisonInWords(versions) {
    const [first, second] = versions;
    const [one, other] = versions.map(({ relation }) => disco2.outcomes(relation)[0][0]);
    const links = versions.map(antecedent).filter(Boolean);
    const opening = links.length ? `It finds that ${links.join(', and ')}. ` : '';
    if (one !== other) {
      return `${opening}So the answer changes: ${one} ${withWord(first.name)}, ${other} ${withWord(second.name)}.`;
    }
    const before = new Map(disco2.outcomes(first.relation));
    const moved = disco2.outcomes(second.relation)
      .map(([sense, value]) => [sense, before.get(sense) || 0, value])
      .sort((less, more) => Math.abs(more[2] - more[1]) - Math.abs(less[2] - less[1]))[0];
    const [from, to] = [disco2.percent(moved[1]), disco2.percent(moved[2])];
    return (
      `${opening}The most probable sense stays ${one}; what moves most is ${moved[0]}, ` +
      `from ${from} ${withWord(first.name)} to ${to} ${withWord(second.name)}.`
    );
  }

  /** Whom the word that differs means: \u201cShe\u201d is Tina; nothing where nobody was found. */
  function antecedent({ name, relation }) {
    const isIt = (span) => span.text.toLowerCase() === name.toLowerCase();
    const entity = relation.entities.find(({ arg2 }) => arg2.some(isIt));
    return entity && `\u201c${name}\u201d is ${entity.arg1[0].text}`;
  }

  function withWord(name) {
    return `with \u201c${name}\u201d`;
  }

  Object.assign(disco2, { examples, comparison, comparisonInWords });
})(window.disco2);
