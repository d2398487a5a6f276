/** Words for shapes. */
import type { Shape } from './shape.ts'

export const text: Shape = { is: ['text'] }
export const flag: Shape = { is: ['flag'] }
export const list: Shape = { is: ['list'] }
export const map: Shape = { is: ['map'] }
export const texts: Shape = { is: ['list'], items: text }

/** A map with these members. */
export const shapeOf = (
  members: Readonly<Record<string, Shape>>,
  rest: Pick<Shape, 'closed' | 'needs' | 'problem'> = {},
): Shape => ({ is: ['map'], members, ...rest })
