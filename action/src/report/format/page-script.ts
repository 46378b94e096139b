/**
 * The only script of the page: it reads and zooms the time axes, whose lines are drawn in their own values, and the flame
 * graphs. The page's policy names its hash, so the browser runs no other. Without it the page lacks nothing but reading
 * and zooming.
 */
export const script = `
'use strict';
const say = {
  share: (v) => (v * 100).toFixed(1) + '%',
  bytes: (v) => (v / 1048576).toFixed(1) + ' MiB',
  ms: (v) => v.toPrecision(3) + ' ms',
  'ms/s': (v) => v.toPrecision(3) + ' ms/s',
  '/s': (v) => v.toPrecision(3) + '/s',
  tps: (v) => Math.round(v).toLocaleString('en-US') + '/s',
  count: (v) => Math.round(v).toLocaleString('en-US'),
  '': (v) => String(Number(v.toPrecision(4))),
};
for (const axis of document.querySelectorAll('.axis')) {
  const seconds = Number(axis.dataset.seconds);
  const blocks = JSON.parse(axis.dataset.blocks);
  const reading = axis.querySelector('.reading');
  const charts = [...axis.querySelectorAll('.stretched')].map((svg) => {
    const cursor = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    cursor.setAttribute('class', 'cursor');
    svg.append(cursor);
    return {
      svg,
      cursor,
      height: svg.viewBox.baseVal.height,
      say: say[svg.dataset.unit],
      values: [...svg.closest('figure').querySelectorAll('.key b')],
      lines: [...svg.querySelectorAll('.line')].map((path) =>
        [...path.getAttribute('d').matchAll(/([-\\d.e+]+),([-\\d.e+]+)/g)].map((match) => [Number(match[1]), Number(match[2])])),
    };
  });
  const names = [...axis.querySelectorAll('.strip text')];
  let from = 0;
  let to = seconds;
  let at;
  const hint = 'Point at a chart to read a second; drag to zoom. With the keyboard: left, right, + and \\u2212; 0 shows everything.';
  const show = () => {
    for (const { svg, cursor, height, lines, values, say } of charts) {
      svg.setAttribute('viewBox', from + ' 0 ' + (to - from) + ' ' + height);
      cursor.setAttribute('d', at === undefined ? '' : 'M' + (at + 0.5) + ',0V' + height);
      values.forEach((value, index) => {
        const found = at === undefined ? undefined : lines[index]?.find(([x]) => Math.floor(x) === at);
        value.textContent = found === undefined ? '' : say(found[1]);
      });
    }
    names.forEach((name, index) => {
      const middle = (blocks[index].from + blocks[index].to) / 2;
      name.setAttribute('x', (100 * (middle - from)) / (to - from) + '%');
    });
    const block = blocks.find((one) => at >= one.from && at < one.to);
    reading.textContent = block === undefined ? hint
      : block.name + ', second ' + (at - block.from + 1) + (at < Math.floor(block.countedFrom) || at >= block.countedTo ? ', not counted' : '');
  };
  const zoom = (a, b) => {
    from = Math.max(0, Math.min(a, b));
    to = Math.min(seconds, Math.max(a, b));
    if (to - from < 2) [from, to] = [0, seconds];
    show();
  };
  const secondOf = (event, svg) => {
    const box = svg.getBoundingClientRect();
    return from + Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * (to - from);
  };
  let pressed;
  for (const { svg } of charts) {
    svg.addEventListener('pointermove', (event) => {
      at = Math.min(seconds - 1, Math.floor(secondOf(event, svg)));
      show();
    });
    svg.addEventListener('pointerdown', (event) => {
      pressed = secondOf(event, svg);
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener('pointerup', (event) => {
      if (pressed !== undefined && Math.abs(secondOf(event, svg) - pressed) >= 2) zoom(pressed, secondOf(event, svg));
      pressed = undefined;
    });
    svg.addEventListener('dblclick', () => zoom(0, seconds));
  }
  const keys = {
    ArrowLeft: () => { at = Math.max(Math.ceil(from), (at ?? Math.floor(to)) - 1); show(); },
    ArrowRight: () => { at = Math.min(Math.ceil(to) - 1, (at ?? Math.ceil(from) - 1) + 1); show(); },
    '+': () => { const middle = at ?? (from + to) / 2; zoom(middle - (to - from) / 4, middle + (to - from) / 4); },
    '-': () => { zoom(from - (to - from) / 2, to + (to - from) / 2); },
    0: () => zoom(0, seconds),
  };
  axis.addEventListener('keydown', (event) => {
    const act = keys[event.key];
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });
  axis.addEventListener('pointerleave', () => { at = undefined; show(); });
  show();
}
for (const flame of document.querySelectorAll('.flame')) {
  const svg = flame.querySelector('svg');
  const reading = flame.querySelector('.reading');
  const { width } = svg.viewBox.baseVal;
  const frames = [...svg.querySelectorAll('g')].map((g) => {
    const rect = g.querySelector('rect');
    const says = g.querySelector('title').textContent;
    const [, mark, name, shares] = /^([\u25b2\u25bc] )?(.*): (.*)$/.exec(says);
    const text = g.querySelector('text') ?? g.appendChild(document.createElementNS('http://www.w3.org/2000/svg', 'text'));
    const [x, y, wide] = ['x', 'y', 'width'].map((key) => Number(rect.getAttribute(key)));
    text.setAttribute('y', y + 13);
    return { g, rect, text, says, x, y, end: x + wide, label: (mark ?? '') + name.split('.').slice(-2).join('.') + ' ' + shares };
  });
  const hint = 'Point at a method to read it; click to zoom, double-click to see everything. With the keyboard: arrows, Enter and 0.';
  let from = 0;
  let to = width;
  let chosen;
  const zoom = (a, b) => {
    [from, to] = [a, b];
    for (const { g, rect, text, x, end, label } of frames) {
      const [left, right] = [x, end].map((at) => (Math.min(Math.max(at, from), to) - from) * (width / (to - from)));
      const letters = Math.floor((right - left - 6) / 6.65);
      g.setAttribute('display', right - left > 0.01 ? 'inline' : 'none');
      rect.setAttribute('x', left);
      rect.setAttribute('width', right - left);
      text.setAttribute('x', left + 3);
      text.textContent = letters < 4 ? '' : label.length > letters ? label.slice(0, letters - 1) + '\u2026' : label;
    }
  };
  const choose = (frame) => {
    chosen?.g.classList.remove('chosen');
    chosen = frame ?? chosen;
    chosen?.g.classList.add('chosen');
    frame?.rect.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    reading.textContent = chosen === undefined ? hint : chosen.says;
  };
  for (const frame of frames) {
    frame.g.addEventListener('pointerenter', () => { reading.textContent = frame.says; });
    frame.g.addEventListener('click', () => { choose(frame); zoom(frame.x, frame.end); });
  }
  svg.addEventListener('pointerleave', () => choose());
  svg.addEventListener('dblclick', () => zoom(0, width));
  const inRow = (y) => frames.filter((one) => one.y === y && one.end > from && one.x < to);
  const around = (frame) => (one) => one.x <= frame.x + 0.01 && one.end >= frame.end - 0.01;
  const neighbour = (step) => () => {
    const row = inRow(chosen?.y ?? 0).toSorted((a, b) => a.x - b.x);
    choose(row[chosen === undefined ? 0 : row.indexOf(chosen) + step]);
  };
  const height = frames.find(({ y }) => y > 0)?.y;
  const keys = {
    ArrowLeft: neighbour(-1),
    ArrowRight: neighbour(1),
    ArrowUp: () => choose(chosen && inRow(chosen.y - height).find(around(chosen))),
    ArrowDown: () => choose(chosen === undefined ? frames[0] : inRow(chosen.y + height).find((one) => around(one)(chosen))),
    Enter: () => { if (chosen !== undefined) zoom(chosen.x, chosen.end); },
    0: () => zoom(0, width),
  };
  flame.addEventListener('keydown', (event) => {
    const act = keys[event.key];
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });
  choose();
}
`;

/** SHA-256 of the script in the form of the policy. A test compares the two. */
export const scriptHash = 'sha256-clf3onieTax626/1jtlZkaxOB2DMX3yA4DsH1gG+X1s=';
