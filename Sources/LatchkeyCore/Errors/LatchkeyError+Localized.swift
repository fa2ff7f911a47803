import LatchkeyModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Provides error descriptions for Foundation, such as `localizedDescription`.
extension LatchkeyError: LocalizedError {
    /// The same text as ``message``, so that `localizedDescription` is meaningful.
    ///
    /// The text is in English unless it comes from the server. For errors that users see, we recommend that
    /// you write your own texts.
    public var errorDescription: String? { message }

    /// A suggestion to try again, or `nil` if the same call would fail again.
    public var recoverySuggestion: String? {
        switch retry {
        case .never: nil
        case .later: "Try again later."
        case .after(let delay): "Try again in \(max(1, delay.wholeMicroseconds / 1_000_000)) seconds."
        }
    }
}
