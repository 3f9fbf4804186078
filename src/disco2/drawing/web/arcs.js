'use strict';

(function (disco2) {
  const { shape } = disco2;
  const REACH = 110; // how far into its sentence an arc goes at most, in pixels
  const BEND = 60; // how wide a corner is where an arc goes on in the next line
  const BESIDE = 16; // an end shows so far beside the label, where its sentence is long enough
  const GAP = 3; // between an arc's ends and the words

  /**
   * @typedef {Object} Join A relation on the page.
   * @property {Object} relation
   * @property {HTMLElement[]} from sentences or pieces of them: the argument that stands first
   * @property {HTMLElement[]} to the other argument
   * @property {HTMLElement} label the button on the arc
   */

  /**
   * The arcs over a flow of sentences; `place()` draws them where the sentences are now.
   * @param {HTMLElement} flow what the sentences lie in; it must be positioned
   * @param {Join[]} joins
   * @param {(place: number) => void} onClick
   */
  function arcsOver(flow, joins, onClick) {
    const svg = shape('svg', { class: 'd2-arcs', 'aria-hidden': 'true', focusable: 'false' });
    const drawn = joins.map((join, place) => arcOf(join, () => onClick(place)));
    svg.append(...drawn.map((arc) => arc.group));

    function place() {
      const origin = flow.getBoundingClientRect();
      const places = joins.map((join) => measured(join, origin)); // all reading before all writing: one layout
      svg.setAttribute('width', String(Math.max(0, Math.floor(origin.width))));
      svg.setAttribute('height', String(Math.max(0, Math.floor(origin.height))));
      places.forEach((found, n) => {
        if (found) drawn[n].move(found);
      });
    }

    /** @param {number} place @param {string} name @param {boolean} on */
    function mark(place, name, on) {
      if (drawn[place]) drawn[place].group.classList.toggle(name, on);
    }

    return { svg, place, mark };
  }

  /** The shapes of one arc: line, its ends, and a wide invisible line to click on. */
  function arcOf({ relation }, onClick) {
    const explicit = relation.kind === 'Explicit';
    const line = shape('path', {
      class: 'd2-arc-line',
      'stroke-width': (1.6 + 3.4 * relation.probability).toFixed(2),
      'stroke-opacity': (0.62 + 0.38 * Math.min(1, 2 * relation.probability)).toFixed(2),
      'stroke-dasharray': explicit ? '7 5' : null,
    });
    const ends = shape('path', { class: 'd2-arc-ends' });
    const target = shape('path', { class: 'd2-arc-target' });
    target.addEventListener('click', onClick);
    const group = shape(
      'g',
      { class: `d2-arc ${disco2.colourClass(relation.sense)}`, 'data-relation': relation.index },
      line,
      ends,
      target,
    );
    const move = (found) => {
      const way = wayOf(found);
      line.setAttribute('d', way);
      target.setAttribute('d', way);
      ends.setAttribute('d', endsOf(found));
    };
    return { group, move };
  }

  /** Where an arc begins, ends and has its label, in pixels of the flow. */
  function measured({ from, to, label }, origin) {
    const begin = lastOf(lastOf(from).getClientRects());
    const end = to[0].getClientRects()[0];
    if (!begin || !end) return null;
    const name = label.getBoundingClientRect();
    const middle = (name.top + name.bottom) / 2;
    const reach = Math.min(REACH, 5 * begin.height);
    const onFirstLine = Math.abs(middle - begin.top) <= Math.abs(middle - end.top);
    const lift = (onFirstLine ? begin.top : end.top) - middle;
    const sameLine = Math.abs(begin.top - end.top) < begin.height / 2 && end.left >= begin.left;
    let x1 = begin.right - Math.min(begin.width / 2.5, reach);
    let x2 = end.left + Math.min(end.width / 2.5, reach);
    if (onFirstLine || sameLine) x1 = Math.max(begin.left + 6, Math.min(x1, name.left - BESIDE));
    if (!onFirstLine || sameLine) x2 = Math.min(end.right - 6, Math.max(x2, name.right + BESIDE));
    return {
      x1: x1 - origin.left,
      y1: begin.top - GAP - origin.top,
      top1: begin.top - lift - origin.top,
      x2: x2 - origin.left,
      y2: end.top - GAP - origin.top,
      top2: end.top - lift - origin.top,
      sameLine,
      width: origin.width,
    };
  }

  function lastOf(rects) {
    return rects[rects.length - 1];
  }

  /** The line: over its label in one go, or to the end of a line and on from the beginning of the next. */
  function wayOf({ x1, y1, top1, x2, y2, top2, sameLine, width }) {
    if (sameLine) {
      const pull = y1 - (y1 - top1) / 0.75; // the middle of a cubic curve comes up three quarters of the way
      const lean = (x2 - x1) * 0.12;
      return `M${x1} ${y1}C${x1 + lean} ${pull} ${x2 - lean} ${pull} ${x2} ${y2}`;
    }
    const right = width - 2;
    const first = Math.max(1, Math.min(BEND, right - x1));
    const second = Math.max(1, Math.min(BEND, x2 - 2));
    return (
      `M${x1} ${y1}Q${x1} ${top1} ${x1 + first} ${top1}H${Math.max(right, x1 + first)}` +
      `M${Math.min(2, x2 - second)} ${top2}H${x2 - second}Q${x2} ${top2} ${x2} ${y2}`
    );
  }

  /** A dot where it begins and an arrow head where it ends. */
  function endsOf({ x1, y1, x2, y2 }) {
    return (
      `M${x1 - 3.5} ${y1}a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0Z` +
      `M${x2} ${y2 + 3}l-5 -9h10Z`
    );
  }

  disco2.arcsOver = arcsOver;
})(window.disco2);
