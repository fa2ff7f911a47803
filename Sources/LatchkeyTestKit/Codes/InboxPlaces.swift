import LatchkeyModel
import LatchkeyServerCore

/// The messages by recipient, and the tasks that wait for codes in them.
struct InboxPlaces {
    /// A recipient: a phone number or a mailbox.
    enum Place: Hashable {
        case phone(PhoneNumber)
        case mailbox(String)

        /// Parses an address as users write it; returns `nil` if it is neither a phone number nor an e-mail
        /// address.
        init?(_ text: String) {
            if let phone = PhoneNumber(text) {
                self = .phone(phone)
            } else if let address = EmailAddress(text) {
                self = .mailbox(address.normalized)
            } else {
                return nil
            }
        }
    }

    private struct Arrivals {
        var messages: [Message] = []
        var codes: [OneTimeCode] = []
        var taken = 0
        var waiting: [OneShot<OneTimeCode>] = []
    }

    var failure: DeliveryFailure?
    private var places: [Place: Arrivals] = [:]

    func codes(of place: Place) -> [OneTimeCode] {
        places[place]?.codes ?? []
    }

    func messages(to place: Place) -> [Message] {
        places[place]?.messages ?? []
    }

    /// Returns the latest code if there is a new one, and otherwise `nil` after queuing `waiter` for the
    /// next one.
    mutating func take(for place: Place, or waiter: OneShot<OneTimeCode>) -> OneTimeCode? {
        var arrivals = places[place] ?? Arrivals()
        defer { places[place] = arrivals }
        guard arrivals.taken < arrivals.codes.count else {
            arrivals.waiting.append(waiter)
            return nil
        }
        arrivals.taken = arrivals.codes.count
        return arrivals.codes.last
    }

    /// Removes a cancelled waiter; a code that was assigned to it is available again.
    mutating func withdraw(_ waiter: OneShot<OneTimeCode>, for place: Place) {
        guard var arrivals = places[place] else { return }
        if let index = arrivals.waiting.firstIndex(where: { $0 === waiter }) {
            arrivals.waiting.remove(at: index)
        } else {
            arrivals.taken -= 1
        }
        places[place] = arrivals
    }

    /// Stores a message; repeated deliveries of the same message have no effect.
    ///
    /// - Returns: The first waiter, which receives the code; `nil` if there is no new code or no waiter.
    mutating func add(_ message: Message, _ code: OneTimeCode?, for place: Place) -> OneShot<OneTimeCode>? {
        var arrivals = places[place] ?? Arrivals()
        defer { places[place] = arrivals }
        guard !arrivals.messages.contains(where: { $0.id == message.id }) else { return nil }
        arrivals.messages.append(message)
        guard let code else { return nil }
        arrivals.codes.append(code)
        guard !arrivals.waiting.isEmpty else { return nil }
        arrivals.taken = arrivals.codes.count
        return arrivals.waiting.removeFirst()
    }
}
