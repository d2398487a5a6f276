import { parseTimestampMs } from '@lockstep/kube/object'

/** Seconds since 1970 of an RFC 3339 time; 0 if there is none, as Kubernetes sorts owners without a time first. */
export const timestampSeconds = (time: string | undefined | null): number =>
  Math.floor((parseTimestampMs(time ?? '') ?? 0) / 1000)
