/// A model of several processes, their store and their environment, whose states the explorer searches.
///
/// A state is a value, so the search can apply each possible step to a copy.
package protocol ExplorerModel: Sendable {
    /// The bounds for an exploration.
    associatedtype Bounds: ModelBounds
    /// A transition from one state to another.
    associatedtype Step: Hashable, Sendable
    /// A violation of one of the model's invariants.
    associatedtype Violation: Error, Equatable
    /// The transition function that the processes' state machines use: either the production function or a
    /// mutant.
    associatedtype Reducer: Sendable
    /// A scratch space for ``canonical(_:)`` that can be reused for many states.
    associatedtype Encoder

    /// The transition function that production code uses.
    static var shipped: Reducer { get }

    /// Creates the initial state.
    init(_ bounds: Bounds)

    /// Creates a state from its canonical form and a budget.
    init(canonical form: ArraySlice<UInt8>, budget: Bounds)

    /// How many steps of each kind are left.
    var budget: Bounds { get }

    /// The steps that are possible in this state.
    ///
    /// States with the same canonical form have the same number of possible steps.
    var steps: [Step] { get }

    /// Performs a step from ``steps``.
    ///
    /// - Parameters:
    ///   - step: The step.
    ///   - reducer: The transition function that the processes' state machines use.
    /// - Throws: A violation if the step violates an invariant. In this case, the caller must discard the
    ///   state.
    mutating func apply(_ step: Step, with reducer: Reducer) throws(Violation)

    /// Checks the invariants that apply to the state as a whole.
    ///
    /// Called after each step.
    ///
    /// - Throws: A violation of an invariant.
    func check() throws(Violation)

    /// Creates a scratch space for ``canonical(_:)``.
    static func makeEncoder(_ bounds: Bounds) -> Encoder

    /// Returns the state's canonical form, without its budget.
    ///
    /// States that differ only in names and counters have the same form.
    func canonical(_ encoder: inout Encoder) -> [UInt8]
}

extension ExplorerModel {
    /// The state's canonical form.
    package var canonical: [UInt8] {
        var encoder = Self.makeEncoder(budget)
        return canonical(&encoder)
    }
}

/// The bounds for an exploration: the number of processes, callers, and steps of each kind.
package protocol ModelBounds: Hashable, Sendable, CustomStringConvertible {
    /// The number of processes.
    var processes: Int { get set }
    /// The number of callers.
    var callers: Int { get set }
    /// The number of requests.
    var requests: UInt8 { get set }

    /// The bounds on the number of steps and their names on the command line.
    static var names: [(name: String, bound: any WritableKeyPath<Self, UInt8> & Sendable)] { get }

    /// Creates bounds with one request per caller.
    init(processes: Int, callers: Int)

    /// The step counts, packed into one word so that budgets can be compared quickly.
    var packed: PackedBudget { get }

    /// Returns a copy of these bounds with the step counts from a packed budget.
    func unpacking(_ budget: PackedBudget) -> Self
}

extension ModelBounds {
    /// The value that stands for an unlimited number of steps.
    ///
    /// This is the largest value that a bound can have, because bounds are stored in four bits.
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
