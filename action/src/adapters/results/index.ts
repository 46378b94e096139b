export { mostReportBytes } from './report-bounds.ts';
export { parseReportFile, reportFileName, whyNotPublished, writeReportFile } from './report-file.ts';
export { writeReports, writeRunFile, writeVerdictFile } from './result-files.ts';
export { withoutHistograms } from './without-histograms.ts';
