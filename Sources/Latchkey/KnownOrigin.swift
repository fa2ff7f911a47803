import LatchkeyCore
import LatchkeyModel

/// The origin that the last request went to, taken apart once: an app asks the same one again and again.
final class KnownOrigin: Sendable {
    private let last = Locked<(text: String, address: WebAddress)?>(nil)

    /// Takes an origin apart; nothing for a text that is none, or to which no token may go.
    func address(of text: String) -> WebAddress? {
        if let last = last.withLock({ $0 }), last.text == text { return last.address }
        guard let address = WebAddress(text), address.isConfidential else { return nil }
        last.withLock { $0 = (text, address) }
        return address
    }
}
