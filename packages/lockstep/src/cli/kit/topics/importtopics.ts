/** Of which tools objects are imported. */
export const IMPORT_TOPICS: readonly string[] = ['flux', 'fleeet', 'pipelines', 'crs', 'clustergroup']
