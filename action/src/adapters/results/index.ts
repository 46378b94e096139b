export { mostReportBytes } from './report-bounds.ts';
export { parseReportFile, reportFileName, whyNotPublished } from './report-file.ts';
export { writeReportFile, writeReports, writeRunFile, writeVerdictFile } from './result-files.ts';
export { withoutHistograms } from './without-histograms.ts';
