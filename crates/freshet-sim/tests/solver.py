"""Solves refresh plans with solvers nobody here wrote, to check ours.

Reads one JSON list of problems from standard input and writes one JSON list of answers, in the same order.
A problem has `kind`, `s` (similarities, n by n), `h` (weights), `kept` (candidates, the first always chosen) and `f`
(how many to choose); an answer has `chosen` and `value`, the objective as the solver reports it.

    program          the 0-1 program of the accurate plan, in HiGHS
    path             the same as a linear program: a path of f links through a layered graph, in HiGHS
    quadratic        the distinct plan, min x'Mx, in SCIP
    linearised       the same with one variable for each pair, in HiGHS

`--check` solves nothing: it only proves that both solvers are installed.
"""

import collections
import json
import sys

import highspy
import pyscipopt


def quiet_highs():
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)
    # The default stops at a gap of 0.01 %, which would hide a wrong plan.
    highs.setOptionValue("mip_rel_gap", 0.0)
    highs.setOptionValue("mip_abs_gap", 1e-9)
    return highs


def optimal(highs):
    status = highs.getModelStatus()
    if status != highspy.HighsModelStatus.kOptimal:
        raise SystemExit(f"HiGHS found no optimum: {status}")
    return highs.getInfo().objective_function_value


def program(problem):
    s, h, kept, count = problem["s"], problem["h"], problem["kept"], problem["f"]
    highs = quiet_highs()
    x = {i: highs.addBinary() for i in kept}
    y = {(i, j): highs.addBinary() for i in kept for j in range(i, len(s))}
    highs.addConstr(highs.qsum(x.values()) == count)
    highs.addConstr(x[kept[0]] == 1)
    for j in range(len(s)):
        highs.addConstr(highs.qsum(y[i, j] for i in kept if i <= j) == 1)
    for (i, j), shown in y.items():
        highs.addConstr(shown <= x[i])
        for k in kept:
            if i < k <= j:
                highs.addConstr(shown + x[k] <= 1)
    highs.maximize(highs.qsum(h[j] * s[i][j] * shown for (i, j), shown in y.items()))
    value = optimal(highs)
    return {"value": value, "chosen": [i for i in kept if highs.val(x[i]) > 0.5]}


def path(problem):
    s, h, kept, count = problem["s"], problem["h"], problem["kept"], problem["f"]
    ends = kept + [len(s)]
    last = len(kept)
    highs = quiet_highs()

    def gain(d, e):
        return sum(h[j] * s[ends[d]][j] for j in range(ends[d], ends[e]))

    link = {
        (step, d, e): highs.addVariable(lb=0.0, ub=1.0)
        for step in range(count)
        for d in range(last)
        for e in range(d + 1, last + 1)
        if (d == 0) == (step == 0) and (e == last) == (step == count - 1)
    }
    out_of, into = collections.defaultdict(list), collections.defaultdict(list)
    for (step, d, e), flow in link.items():
        out_of[step, d].append(flow)
        into[step, e].append(flow)
    highs.addConstr(highs.qsum(out_of[0, 0]) == 1)
    for step in range(1, count):
        for node in range(1, last):
            leaving, entering = out_of[step, node], into[step - 1, node]
            if leaving or entering:
                highs.addConstr(highs.qsum(leaving) - highs.qsum(entering) == 0)
    highs.maximize(highs.qsum(gain(d, e) * flow for (_, d, e), flow in link.items()))
    value = optimal(highs)
    flows = highs.vals(link)
    chosen = {kept[d] for (step, d, e) in link if flows[step, d, e] > 0.5}
    return {"value": value, "chosen": sorted(chosen)}


def quadratic(problem):
    s, kept, count = problem["s"], problem["kept"], problem["f"]
    model = pyscipopt.Model()
    model.hideOutput()
    x = {i: model.addVar(vtype="B") for i in kept}
    total = model.addVar(lb=0.0)
    model.addCons(pyscipopt.quicksum(x.values()) == count)
    model.addCons(x[kept[0]] == 1)
    model.addCons(total >= pyscipopt.quicksum(s[i][j] * x[i] * x[j] for i in kept for j in kept))
    model.setObjective(total, "minimize")
    model.optimize()
    if model.getStatus() != "optimal":
        raise SystemExit(f"SCIP found no optimum: {model.getStatus()}")
    return {"value": model.getObjVal(), "chosen": [i for i in kept if model.getVal(x[i]) > 0.5]}


def linearised(problem):
    s, kept, count = problem["s"], problem["kept"], problem["f"]
    highs = quiet_highs()
    x = {i: highs.addBinary() for i in kept}
    pairs = {(i, j): highs.addVariable(lb=0.0, ub=1.0) for i in kept for j in kept if i < j}
    highs.addConstr(highs.qsum(x.values()) == count)
    highs.addConstr(x[kept[0]] == 1)
    for (i, j), both in pairs.items():
        highs.addConstr(both >= x[i] + x[j] - 1)
    alone = highs.qsum(s[i][i] * x[i] for i in kept)
    highs.minimize(alone + highs.qsum(2 * s[i][j] * both for (i, j), both in pairs.items()))
    value = optimal(highs)
    return {"value": value, "chosen": [i for i in kept if highs.val(x[i]) > 0.5]}


KINDS = {"program": program, "path": path, "quadratic": quadratic, "linearised": linearised}

if __name__ == "__main__":
    if "--check" not in sys.argv:
        problems = json.load(sys.stdin)
        json.dump([KINDS[problem["kind"]](problem) for problem in problems], sys.stdout)
