export { capacityFinding, carriedFinding } from './content/capacity.ts';
export { catalogueFinding } from './content/catalogue.ts';
export { causeTexts } from './content/cause-texts.ts';
export type { Finding } from './content/finding.ts';
export type { NextStepOptions } from './content/next-step.ts';
export { sharedLoadFinding } from './content/shared-load.ts';
export { soakFinding } from './content/soak.ts';
export { staircaseFinding } from './content/staircase.ts';
export { sweepFinding } from './content/sweep.ts';
export { verdictSentence } from './content/verdict-sentence.ts';
export type { Paint, Style } from './format/paint.ts';
export { plainText } from './format/plain-text.ts';
export { shorten, wrap } from './format/text-layout.ts';
export { type MeasuredRun, recordPoints, secondsPoints } from './points/record-points.ts';
export { isWorthAComment, verdictOutputs } from './render/action-outputs.ts';
export { type Annotation, type AnnotationCounts, annotations } from './render/annotations.ts';
export { type BadgeState, badgeJson, badgeSvg } from './render/badge.ts';
export { type BenchFigures, benchReport, type PageCost, pageCostReport } from './render/bench.ts';
export { calibrationReport, unchangedReport } from './render/calibration.ts';
export { commentMarker } from './render/comment.ts';
export { detectionOverview, detectionReport, detectionTables } from './render/detection.ts';
export { explanationReport } from './render/detection-explanation.ts';
export { defectText, faultText } from './render/fault.ts';
export { findingPage, findingText } from './render/finding.ts';
export { renderHistory } from './render/history-page.ts';
export { keptCatalogueText } from './render/kept-catalogue.ts';
export * as progressText from './render/progress.ts';
export { type ReportFile, reporters, reportFiles } from './render/reporters.ts';
export {
  type StoredRun,
  storedRunsJson,
  storedRunsOf,
  storedRunsText,
  storedRunText,
} from './render/stored-runs.ts';
export { renderWithheld, type WithheldReason } from './render/withheld.ts';
