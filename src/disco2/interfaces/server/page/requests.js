'use strict';

(function (disco2) {
  const KEY = 'disco2-api-key';
  const SECONDS = 120; // the server gives up before; this is for one that does not answer at all

  let key = '';
  try {
    key = sessionStorage.getItem(KEY) || '';
  } catch {
    key = ''; // storage is forbidden: the key lasts as long as the page
  }

  /** @param {string} given */
  function useKey(given) {
    key = given;
    try {
      sessionStorage.setItem(KEY, given);
    } catch {
      return; // see above
    }
  }

  /** What went wrong: for the reader, with what to do next. */
  class Fault extends Error {
    /** @param {{status?: number, what: string, where?: string, hint?: string}} told */
    constructor({ status = 0, what, where = '', hint = '' }) {
      super(what);
      Object.assign(this, { status, what, where, hint });
    }
  }

  /**
   * Ask the server; a fault has what, where and hint, and AbortError means that nobody waits any more.
   * @param {string} path
   * @param {Object|null} body null: GET
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  async function ask(path, body, signal) {
    const timeout = AbortSignal.timeout(1000 * SECONDS);
    const headers = { Accept: 'application/json' };
    if (body) headers['Content-Type'] = 'application/json';
    if (key) headers.Authorization = `Bearer ${key}`;
    let response;
    let told;
    try {
      response = await fetch(path, {
        method: body ? 'POST' : 'GET',
        headers,
        body: body ? JSON.stringify(body) : undefined,
        signal: signal ? either(signal, timeout) : timeout,
      });
      told = await response.json();
    } catch (fault) {
      if (signal?.aborted) throw new DOMException('Nobody waits any more.', 'AbortError');
      throw unanswered(fault, response, path);
    }
    if (response.ok) return told;
    const error = told?.error || {};
    const what = error.what || `The server refused with status ${response.status}.`;
    throw new Fault({ status: response.status, what, where: error.where, hint: error.hint || waitHint(response) });
  }

  function unanswered(fault, response, path) {
    if (fault.name === 'TimeoutError') {
      return new Fault({
        what: `The server gave no answer within ${SECONDS} seconds.`,
        where: path,
        hint: 'Try a shorter text. Your text is still here.',
      });
    }
    if (response) {
      return new Fault({
        status: response.status,
        what: 'The server gave an answer that is no JSON.',
        where: path,
        hint: 'Is this the right server? Your text is still here.',
      });
    }
    return new Fault({
      what: 'The server can\u2019t be reached.',
      where: path,
      hint: 'Is \u201cdisco2 serve\u201d still running? Your text is still here; ask again when it is.',
    });
  }

  function waitHint(response) {
    const seconds = response.headers.get('Retry-After');
    return seconds ? `Ask again in ${seconds} seconds.` : '';
  }

  /** A signal that ends with the first of two. */
  function either(one, other) {
    if (AbortSignal.any) return AbortSignal.any([one, other]);
    const joined = new AbortController();
    for (const signal of [one, other]) {
      if (signal.aborted) joined.abort(signal.reason);
      signal.addEventListener('abort', () => joined.abort(signal.reason), { once: true });
    }
    return joined.signal;
  }

  Object.assign(disco2, { ask, useKey, Fault });
})(window.disco2);
