/// A model of several processes, their store and their environment, whose states an explorer searches.
///
/// A state is a value, so the search applies each possible step to a copy.
package protocol ExplorerModel: Sendable {
    /// The bounds of an exploration.
    associatedtype Bounds: ModelBounds
    /// A transition of a state.
    associatedtype Step: Hashable, Sendable
    /// A violation of one of the model's invariants.
    associatedtype Violation: Error, Equatable
    /// The transition function of the processes' state machines: the production function, or a mutant.
    associatedtype Reducer: Sendable
    /// The working memory of ``canonical(_:)``, which is reused for many states.
    associatedtype Encoder

    /// The transition function that production processes run.
    static var shipped: Reducer { get }

    /// Creates the initial state.
    init(_ bounds: Bounds)

    /// Creates a state from its canonical form and a budget.
    init(canonical form: ArraySlice<UInt8>, budget: Bounds)

    /// The remaining number of steps of each kind.
    var budget: Bounds { get }

    /// The steps that are possible in this state.
    ///
    /// States with the same canonical form have the same number of steps.
    var steps: [Step] { get }

    /// Applies one of ``steps``.
    ///
    /// - Parameters:
    ///   - step: The step.
    ///   - reducer: The transition function of the processes' state machines.
    /// - Throws: A violation; the state must be discarded then.
    mutating func apply(_ step: Step, with reducer: Reducer) throws(Violation)

    /// Checks the invariants that concern the whole state; called after each step.
    ///
    /// - Throws: A violation.
    func check() throws(Violation)

    /// Creates the working memory of ``canonical(_:)``.
    static func makeEncoder(_ bounds: Bounds) -> Encoder

    /// Returns the canonical form of the state, without its budget: equal for states that differ only in names
    /// and counters.
    func canonical(_ encoder: inout Encoder) -> [UInt8]
}

extension ExplorerModel {
    /// The canonical form of the state.
    package var canonical: [UInt8] {
        var encoder = Self.makeEncoder(budget)
        return canonical(&encoder)
    }
}

/// The bounds of an exploration: the number of processes, of callers, and of steps of each kind.
package protocol ModelBounds: Hashable, Sendable, CustomStringConvertible {
    /// The number of processes.
    var processes: Int { get set }
    /// The number of callers.
    var callers: Int { get set }
    /// The number of requests.
    var requests: UInt8 { get set }

    /// The names of the numbers of steps, as used on the command line.
    static var names: [(name: String, bound: any WritableKeyPath<Self, UInt8> & Sendable)] { get }

    /// Creates bounds with one request per caller.
    init(processes: Int, callers: Int)

    /// The numbers of steps in one word, so that budgets can be compared quickly.
    var packed: PackedBudget { get }

    /// Returns the bounds with the numbers of steps of a packed budget.
    func unpacking(_ budget: PackedBudget) -> Self
}

extension ModelBounds {
    /// The value for an unlimited number of steps.
    ///
    /// It is also the largest value that a bound can have, because bounds are stored in four bits.
    package static var unlimited: UInt8 { 15 }

    /// Returns a copy with one bound set to a new value.
    package func setting(_ bound: WritableKeyPath<Self, UInt8>, to value: UInt8) -> Self {
        var bounds = self
        bounds[keyPath: bound] = value
        return bounds
    }

    /// Decrements a bound unless it is unlimited.
    static func decrement(_ bound: inout UInt8) {
        if bound != unlimited { bound -= 1 }
    }
}
