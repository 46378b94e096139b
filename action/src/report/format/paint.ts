export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Styles a text, or returns it unchanged where the output has no colours. */
export type Paint = (style: Style, text: string) => string;

export const plainPaint: Paint = (_style, text) => text;
