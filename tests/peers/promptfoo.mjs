// What promptfoo's model-graded assertion makes of a grader's reply, by its own code and a scripted grader.
//
//     npm install --prefix ../promptfoo --ignore-scripts promptfoo@0.123.1
//     node tests/peers/promptfoo.mjs ../promptfoo
//
// No model is asked and no network used. Ends with 1 where a verdict is another than the one written here.
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

Object.assign(process.env, { PROMPTFOO_DISABLE_TELEMETRY: "1", PROMPTFOO_DISABLE_UPDATE: "1" });

// The reply, whether it passes there, and why it is nothing here.
const CASES = [
  ['{"pass": true, "score": 1, "reason": "It names the fee."}', true, "what was asked for there"],
  ['{"reason": "It names no fee."}', true, "a missing verdict passes; here an answer without one is an abstention"],
  ['{"score": 0, "reason": "It names no fee."}', true, "a score of 0 passes where no threshold is set; here a grade of 0 is 0"],
  ['{"pass": "false", "reason": "It names no fee."}', false, ""],
  ["It names no fee.", false, "what cannot be read fails the answer; here it is an abstention, and no failure"],
];

const require = createRequire(pathToFileURL(path.resolve(process.argv[2]) + "/"));
const { default: promptfoo } = await import(pathToFileURL(require.resolve("promptfoo")));
let wrong = 0;
for (const [reply, expected, why] of CASES) {
  const provider = { id: () => "scripted", callApi: async () => ({ output: reply }) };
  const { pass } = await promptfoo.assertions.matchesLlmRubric("names the fee", "An answer.", { provider });
  wrong += pass !== expected;
  console.log(`${pass ? "passes" : "fails "}  ${reply}${why && `  ${why}`}${pass === expected ? "" : "  ANOTHER VERDICT"}`);
}
process.exit(wrong > 0 ? 1 : 0);
