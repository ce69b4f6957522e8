/** What every HTTP door shares: open-route mark, project of the request, keyset pages, forms of answers, RFC 9457 problems. */
export { Answers, AnswersProblem, AnswersText, AnswersUnchecked, named, pageForm } from './answers.js';
export { Public, IS_PUBLIC, ProjectId, type RatchetRequest } from './decorators.js';
export { describeApi } from './describe-api.js';
export { beforeOf, decodeCursor, encodeCursor, pageOf, PageQuery, type Page } from './page.js';
export { ProblemFilter, problemOf, type Problem } from './problem.filter.js';
