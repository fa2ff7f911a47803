import LatchkeyTestKit

/// The search spaces and mutants of a state machine, each of which can be selected by its number.
struct Exploration<Model: ExplorerModel> {
    /// The spaces that `scripts/check --deep` explores.
    let spaces: [(bounds: String, summary: String)]
    /// The mutants defined in the tests.
    let mutants: [(mistake: String, space: Model.Bounds, reducer: Model.Reducer)]
    /// Returns a trace as text.
    let trace: ([Model.Step], Model.Bounds, Model.Reducer) -> String

    /// Returns the mutant with the given number.
    func mutant(_ number: Int) throws -> (mistake: String, space: Model.Bounds, reducer: Model.Reducer) {
        guard mutants.indices.contains(number - 1) else {
            throw ExplorerArguments.UsageError(description: "--mutant: 1 to \(mutants.count)")
        }
        return mutants[number - 1]
    }

    /// Returns the spaces selected by the arguments.
    ///
    /// The default is the mutant's space or, if there is no mutant, all spaces.
    func spaces(_ arguments: ExplorerArguments) throws -> [Model.Bounds] {
        var texts = try arguments.spaces.map { number in
            guard spaces.indices.contains(number - 1) else {
                throw ExplorerArguments.UsageError(description: "--space: 1 to \(spaces.count)")
            }
            return spaces[number - 1].bounds
        }
        texts += arguments.bounds
        if texts.isEmpty, let number = arguments.mutant { return [try mutant(number).space] }
        if texts.isEmpty { texts = spaces.map(\.bounds) }
        return try texts.map { try Model.Bounds($0) }
    }
}

extension Exploration where Model == ModelState {
    /// The spaces and mutants of the session state machine.
    static var session: Exploration {
        Exploration(
            spaces: ExplorerSpaces.all,
            mutants: SessionMutant.all.map { ($0.mistake, $0.space, $0.reducer) },
            trace: { SessionTrace($0, within: $1, reducer: $2).description }
        )
    }
}

extension Exploration where Model == BrowserLoginModel {
    /// The exploration of logins in a browser.
    static var browser: Exploration {
        Exploration(
            spaces: BrowserLoginSpaces.all,
            mutants: BrowserLoginMutant.all.map { ($0.mistake, $0.space, $0.reducer) },
            trace: { steps, _, _ in steps.map { "\($0)" }.joined(separator: "\n") }
        )
    }
}

extension Exploration where Model == AccessModel {
    /// The exploration of the access state machine.
    static var access: Exploration {
        Exploration(
            spaces: AccessSpaces.all,
            mutants: AccessMutant.all.map { ($0.mistake, $0.space, $0.reducer) },
            trace: { AccessTrace($0, within: $1, reducer: $2).description }
        )
    }
}
