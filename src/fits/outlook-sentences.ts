/** The parts of the line in English. */
export const OUTLOOK_SENTENCES = {
  outlookRhat: 'R-hat {value} ({name})',
  outlookEss: 'ESS {value} ({name})',
  outlookShortfall: '{statistic} {value} of {limit} ({name})',
  outlookUnknown: '{statistic} unknown of {limit} ({name})',
  outlookDivergent: '{count} divergent',
  outlookLeft: 'about {duration} left',
  outlookTarget: 'about {duration} to the target',
} as const;
