/** Words for shapes. */
import type { ValuesShape } from './shape.ts'

export const textShape: ValuesShape = { is: ['text'] }
export const flagShape: ValuesShape = { is: ['flag'] }
export const listShape: ValuesShape = { is: ['list'] }
export const mapShape: ValuesShape = { is: ['map'] }
export const textsShape: ValuesShape = { is: ['list'], items: textShape }

/** A map with these members. */
export const mapShapeOf = (
  members: Readonly<Record<string, ValuesShape>>,
  rest: Pick<ValuesShape, 'closed' | 'needs' | 'problem'> = {},
): ValuesShape => ({ is: ['map'], members, ...rest })
