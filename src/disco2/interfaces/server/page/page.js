'use strict';

(function (disco2) {
  const { element, button, examples } = disco2;
  const by = (id) => document.getElementById(id);
  const form = /** @type {HTMLFormElement} */ (by('ask'));
  const field = /** @type {HTMLTextAreaElement} */ (by('text'));
  const paragraphs = /** @type {HTMLSelectElement} */ (by('paragraphs'));
  const [alertBox, status, result, root] = ['alert', 'status', 'result', 'relations'].map(by);
  const versions = examples[0].versions;
  const LONGEST = 100000; // characters of an address that browsers and most programs still take

  const HONEST =
    'Take it with care: implicit relations are hard, and many answers are wrong. The probabilities are ' +
    'calibrated, so they say so themselves. How often each model is right: disco2 models.';

  const narrow = window.matchMedia('(max-width: 40rem)'); // a phone: one tree below the other
  let asking = new AbortController(); // ends with the next question
  let showing = new AbortController(); // ends with the next answer
  let shown = null; // what disco2.show gave: the relations on the page
  let asked = { text: '', paragraphs: 'blank' }; // what they belong to

  /** Nobody waits for the last question any more; the signal is for the next one. */
  function endQuestion() {
    asking.abort();
    asking = new AbortController();
    tell('', 'done');
    result.removeAttribute('aria-busy');
    return asking.signal;
  }

  /** Ask for the relations of the text in the field. @param {{wanted?: number, asNew?: boolean}} [options] */
  async function find({ wanted = -1, asNew = true } = {}) {
    const signal = endQuestion();
    const now = { text: field.value, paragraphs: paragraphs.value };
    alertBox.replaceChildren();
    if (!now.text.trim()) {
      const hint = 'Type or paste two sentences, or pick an example.';
      refuse(new disco2.Fault({ what: 'There is no text yet.', hint }));
      field.focus();
      return;
    }
    tell('Finding relations \u2026', 'busy');
    result.setAttribute('aria-busy', 'true');
    try {
      const answer = await disco2.ask('/v1/relations', now, signal);
      if (signal.aborted) return;
      asked = now;
      showAnswer(answer, wanted, asNew);
    } catch (fault) {
      if (fault.name !== 'AbortError') refuse(fault);
    }
  }

  function showAnswer(answer, wanted, asNew) {
    endQuestion();
    showing.abort();
    showing = new AbortController();
    shown?.choose(-1); // so that it waits for nothing any more
    const beside = element('section', { class: 'compare', hidden: true, 'aria-label': 'Comparison' });
    shown = disco2.show(root, answer, {
      viewOf: (index, signal) => disco2.ask('/v1/views', { ...asked, relation: index, stacked: narrow.matches }, signal),
      linkOf: (index) => addressOf({ ...asked, relation: index }),
      onChoose: (index) => followChoice(index),
      beside,
    });
    const relations = answer.relations;
    const first = wanted < 0 && relations.length === 1 ? relations[0].index : wanted;
    if (relations.some(({ index }) => index === first)) shown.choose(first);
    writeAddress({ ...asked, relation: shown.chosen() }, asNew);
    const count = disco2.countRelations(answer);
    tell(count === 1 ? 'One relation found.' : `${count} relations found.`, 'done');
    if (asNew) root.querySelector('.d2-document').scrollIntoView({ block: 'nearest' }); // on phones it lies below
    tellModel(answer);
    compare(answer, beside, showing.signal);
  }

  /** Opening a detail is a step that the way back undoes; going from one relation to the next is none. */
  function followChoice(index) {
    const before = readAddress()?.relation ?? -1;
    writeAddress({ ...asked, relation: index }, before < 0 && index >= 0);
  }

  /** What is going on: seen while it takes time, heard when it is done. */
  function tell(message, how) {
    status.textContent = message;
    status.classList.toggle('done', how === 'done');
  }

  /** Show what went wrong; the text stays where it is, and so does the last answer. */
  function refuse(fault) {
    endQuestion();
    const box = disco2.faultBox(fault);
    if (shown) box.append(element('p', {}, 'What you see below is the answer to the text before.'));
    if (fault.status === 401) box.append(keyField());
    alertBox.replaceChildren(box);
    alertBox.scrollIntoView({ block: 'nearest' });
  }

  function keyField() {
    const id = disco2.freshId('key');
    const input = /** @type {HTMLInputElement} */ (element('input', { type: 'password', id, autocomplete: 'off' }));
    const use = () => {
      const key = input.value.trim();
      if (!/^[!-~\u00a1-\u00ff]+$/.test(key)) { // what a header of a browser can hold
        const hint = 'A key that a browser can send has Latin letters, digits and signs, and no space.';
        refuse(new disco2.Fault({ status: 401, what: 'This is no API key.', hint }));
        return;
      }
      disco2.useKey(key);
      find();
    };
    input.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') use();
    });
    const label = element('label', { for: id }, 'API key');
    return element('p', { class: 'key' }, label, input, button('Use this key', use));
  }

  /** The other version of the first example beside this one. */
  async function compare(answer, beside, signal) {
    const current = versions.findIndex((one) => one.text === asked.text);
    if (current < 0) return;
    try {
      const askFor = ({ text }) => disco2.ask('/v1/relations', { ...asked, text }, signal);
      const answers = await Promise.all(versions.map((one, n) => (n === current ? answer : askFor(one))));
      const pairs = versions.map(({ name }, n) => ({ name, relation: answers[n].relations[0] }));
      if (pairs.some(({ relation }) => !relation)) return;
      beside.append(
        element('h2', {}, `With \u201c${versions[0].name}\u201d and with \u201c${versions[1].name}\u201d`),
        disco2.comparison(pairs, current),
        element('p', { class: 'words' }, disco2.comparisonInWords(pairs)),
        element('p', { class: 'hint' }, HONEST),
      );
      beside.hidden = false;
    } catch (fault) {
      if (fault.name !== 'AbortError') beside.remove();
    }
  }

  function tellModel({ model, annotators, disco2: version }) {
    const told = `disco2 ${version}, model ${model.name || 'without a name'}`;
    by('model').textContent = model.licence ? `${told}. Licence of the model: ${model.licence}.` : `${told}.`;
    by('model').title = annotators;
  }

  /** The switch is there while the text is a version of the first example; the example of the text is marked. */
  function followText() {
    const current = versions.findIndex((one) => one.text === field.value);
    by('switch').hidden = current < 0;
    form.querySelectorAll('input[name="pronoun"]').forEach((input, n) => {
      input.checked = n === current;
    });
    by('examples').childNodes.forEach((one, n) => {
      const texts = examples[n].versions ? versions.map(({ text }) => text) : [examples[n].text];
      one.setAttribute('aria-pressed', String(texts.includes(field.value)));
    });
    const lines = Math.ceil(field.value.length / 95) + field.value.split('\n').length - 1;
    field.rows = Math.max(2, Math.min(8, lines)); // for browsers that don't know field-sizing
  }

  function take(text) {
    field.value = text;
    followText();
    find();
  }

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

  /** Show what the address says, or the first example where it says nothing. */
  function followAddress() {
    const state = readAddress();
    const wanted = state || { text: versions[0].text, paragraphs: 'blank', relation: -1 };
    if (shown && wanted.text === asked.text && wanted.paragraphs === asked.paragraphs && state) {
      endQuestion();
      shown.choose(wanted.relation);
      return;
    }
    field.value = wanted.text;
    paragraphs.value = wanted.paragraphs;
    followText();
    find({ wanted: wanted.relation, asNew: false });
  }

  for (const example of examples) {
    const text = example.versions ? example.versions[0].text : example.text;
    by('examples').append(button(example.name, () => take(text), { 'aria-pressed': 'false' }));
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    find();
  });
  field.addEventListener('input', followText);
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      find();
    }
  });
  paragraphs.addEventListener('change', () => find());
  by('switch').addEventListener('change', (event) => take(versions[Number(event.target.value)].text));
  by('skip').addEventListener('click', (event) => {
    event.preventDefault(); // the fragment of the address belongs to the text
    result.focus();
    result.scrollIntoView();
  });
  window.addEventListener('popstate', followAddress);
  followAddress();
})(window.disco2);
