/// The number of steps in which registration collects its fields (Kratos's `style`).
public enum RegistrationStyle: String, Sendable, CaseIterable {
    /// Traits and credentials are submitted in one form.
    case unified
    /// Traits are submitted first; the form for credentials follows.
    case profileFirst = "profile_first"
}
