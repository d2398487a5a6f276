// The face of this folder: what others import.
export { changesOf, differs, diffReport, reportedChange, type UnitDiff } from './diffreport.ts'
export { drawDiff, drawDiffLines } from './drawdiff.ts'
export { changesBetween, type RevisionChange, revisionChange } from './revisionchange.ts'
