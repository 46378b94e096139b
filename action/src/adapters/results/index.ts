export { type KeptCheck, readKeptCheck, writeKeptCheck } from './kept-check.ts';
export { appendProfile } from './profile-file.ts';
export { partFolder, readRecord, writeStoredRuns } from './record.ts';
export { mostReportBytes } from './report-bounds.ts';
export { parseReportFile, reportFileName, whyNotPublished } from './report-file.ts';
export { writeReportFile, writeReports, writeRunFile, writeVerdictFile } from './result-files.ts';
export { appendSeries, seriesFileName } from './series-file.ts';
export { withoutHistograms } from './without-histograms.ts';
