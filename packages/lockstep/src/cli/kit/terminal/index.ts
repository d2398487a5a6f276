// The face of this folder: what others import.
export { adviceLine } from './adviceline.ts'
export { ageText, firstOf, listText, nearest, plural, withRemaining } from './agetext.ts'
export { toAscii } from './ascii.ts'
export { createFrameDisplay, type FrameDisplay } from './framedisplay.ts'
export { createFramePace, FRAME_MS } from './framepace.ts'
export {
  asTyped,
  type Color,
  createTerminal,
  type Terminal,
  type TerminalStyle,
  terminalStyleOf,
} from './terminal.ts'
export { cut, padEnd, textTable, widthOf } from './texttable.ts'
export { fit, wrap } from './wrap.ts'
