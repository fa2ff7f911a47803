/// Whether registration uses one step or two (Kratos's `style`).
public enum RegistrationStyle: String, Sendable, CaseIterable {
    /// Users submit their traits and a credential in one form.
    case unified
    /// Users submit their traits first and then a credential in a second form.
    case profileFirst = "profile_first"
}
