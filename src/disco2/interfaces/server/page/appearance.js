'use strict';

/** Colours and size of the page, which the reader may choose; loaded before anything is painted. */
(function () {
  const CHOICES = { theme: ['auto', 'light', 'dark'], size: ['normal', 'large', 'larger'] };

  /** Storage may be forbidden, and then the choice lasts as long as the page. */
  function stored(name) {
    try {
      return localStorage.getItem(`disco2-${name}`);
    } catch {
      return null;
    }
  }

  function store(name, value) {
    try {
      localStorage.setItem(`disco2-${name}`, value);
    } catch {
      return; // see above
    }
  }

  /** @param {string} name theme or size @param {string} value the first choice is no attribute at all */
  function apply(name, value) {
    if (value === CHOICES[name][0]) delete document.documentElement.dataset[name];
    else document.documentElement.dataset[name] = value;
  }

  for (const [name, values] of Object.entries(CHOICES)) {
    const before = stored(name);
    const chosen = values.includes(before) ? before : values[0];
    apply(name, chosen);
    document.addEventListener('DOMContentLoaded', () => {
      const field = /** @type {HTMLSelectElement | null} */ (document.getElementById(name));
      if (!field) return; // the page of the API has no such field
      field.value = chosen;
      field.addEventListener('change', () => {
        apply(name, field.value);
        store(name, field.value);
      });
    });
  }
})();
