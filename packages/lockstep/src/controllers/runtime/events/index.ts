/** Events, and lines of the log. */
export { EventRecorder } from './eventrecorder.ts'
export { clusterEvents, type EventNote, isRecordedReason, moduleEvents, unitEvents } from './events.ts'
export { logLine, unitFields } from './logline.ts'
export { isNewlyReady, moduleLines, rolloutResult, type StatusLine, unitLines } from './statuslines.ts'
