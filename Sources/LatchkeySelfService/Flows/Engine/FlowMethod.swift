package import LatchkeyAccounts
package import LatchkeyWire

/// The fields of a method in one kind of flow, and how they are read.
///
/// All members are pure functions, so that tables of tests can cover every case.
package protocol MethodForm: Sendable {
    /// A submission that contains everything that the method requires.
    associatedtype Input: Sendable

    /// The value of the member `method` that chooses the method.
    var name: String { get }

    /// The assurance level that the method provides.
    ///
    /// A login offers the methods of the level that it asks for. Other flows ignore this.
    var level: AssuranceLevel { get }

    /// The names of the fields that the method reads, other than `method` and the traits.
    var fields: [String] { get }

    /// Returns whether the flow offers the method.
    func isOffered(in context: FormContext) -> Bool

    /// Returns the nodes of the method's fields and buttons, in display order.
    ///
    /// If another method shows the same node of the group `default`, it appears only once.
    func nodes(in context: FormContext) -> [UINode]

    /// Parses a submission without using the database or the clock.
    func parse(_ submission: Submission, in context: FormContext) -> FlowInput<Input>
}

extension MethodForm {
    package var level: AssuranceLevel { .aal1 }

    package func isOffered(in context: FormContext) -> Bool { true }
}

/// A parsed submission.
package enum FlowInput<Input: Sendable>: Sendable {
    /// The submission contains everything that its method requires.
    case valid(Input)

    /// A required value is missing or invalid.
    case refused(Form)
}

/// A method in one kind of flow: its form, and what a submission does.
package protocol FlowMethod: Sendable {
    associatedtype OwnForm: MethodForm

    var form: OwnForm { get }

    /// Performs a parsed submission.
    ///
    /// The flow may have ended since the submission was admitted, so the transaction checks this again.
    ///
    /// - Throws: ``FlowEnded`` if the flow has ended, after rolling back all changes. Also throws
    ///   ``ServerError``, for example with status 429, and ``DatabaseError``.
    func perform(_ input: OwnForm.Input, in context: FlowContext) async throws -> FlowOutcome
}
