import { htmlText } from '../format/html-text.ts';

type Attributes = Readonly<Record<string, string | number | undefined>>;

/** An element. Attribute values are escaped and never cut, because data is among them; content is markup already. */
export function element(name: string, attributes: Attributes, ...content: readonly string[]): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(
      ([key, value]) =>
        ` ${key}="${typeof value === 'number' ? short(value) : htmlText(String(value), Number.POSITIVE_INFINITY)}"`,
    )
    .join('');
  return content.length === 0 ? `<${name}${written}/>` : `<${name}${written}>${content.join('')}</${name}>`;
}

/** Five digits are finer than any screen. */
export function short(value: number): number {
  return Number(value.toPrecision(5));
}

/** A drawing with a caption and a legend above it. Screen readers read the caption and what the drawing says in words. */
export function figure(
  { title, note, inWords }: { readonly title: string; readonly note?: string; readonly inWords: string },
  legend: readonly string[],
  drawing: (attributes: { readonly role: string; readonly 'aria-label': string }) => string,
): string {
  const caption = [
    element('strong', {}, htmlText(title)),
    ...(note === undefined ? [] : [` ${htmlText(note)}`]),
    ...(legend.length === 0 ? [] : [element('span', { class: 'legend' }, legend.join(''))]),
  ];
  return element(
    'figure',
    {},
    element('figcaption', {}, caption.join('')),
    drawing({ role: 'img', 'aria-label': inWords }),
  );
}

/** An entry of a legend: its colour is that of the class. */
export function legendEntry(className: string, name: string): string {
  return element('span', { class: `key ${className}` }, htmlText(name), ' ', element('b', {}, ''));
}
