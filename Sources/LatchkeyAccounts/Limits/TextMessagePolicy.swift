package import LatchkeyModel

/// Decides which unproven phone numbers get text messages, and which budgets these messages count toward.
///
/// An attacker who requests codes for other numbers spends the operator's money, and takes messages from the
/// users who sign up. Therefore, the budgets follow the proofs: a calling code and a part of the internet get
/// more messages after users there have entered the codes that were sent to them.
package struct TextMessagePolicy: Sendable {
    /// The calling codes that are served.
    ///
    /// An empty set means that all calling codes are served, each with a budget of its own.
    private let callingCodes: Set<String>

    /// Creates a policy.
    ///
    /// - Parameter callingCodes: The calling codes that are served, without `+`. If the list is empty, all of
    ///   them are served.
    package init(callingCodes: [String] = []) {
        self.callingCodes = Set(callingCodes)
    }

    /// Returns whether a number that no account has proven gets text messages.
    package func serves(_ phone: PhoneNumber) -> Bool {
        !PhoneRanges.contains(phone) && (callingCodes.isEmpty || callingCodes.contains(phone.callingCode))
    }

    /// The calling code whose budget a message to the number counts toward, or `nil` if it has no budget of
    /// its own because the operator has listed it.
    func budgetedCode(of phone: PhoneNumber) -> String? {
        callingCodes.isEmpty ? phone.callingCode : nil
    }
}
