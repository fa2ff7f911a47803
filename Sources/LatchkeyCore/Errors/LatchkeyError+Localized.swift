#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The texts of an error for Foundation, such as `localizedDescription`.
extension LatchkeyError: LocalizedError {
    /// The ``message``, so that `localizedDescription` is meaningful.
    ///
    /// The sentence is in English, unless it comes from the server. Prefer texts of your own for the codes that
    /// users see.
    public var errorDescription: String? { message }

    /// When to try again, if the same call may succeed later.
    public var recoverySuggestion: String? {
        switch retry {
        case .never: nil
        case .later: "Try again later."
        case .after(let delay): "Try again in \(max(1, delay.components.seconds)) seconds."
        }
    }
}
