import LatchkeyModel
import LatchkeyServerCore

/// What has come to which phone or mailbox, and who waits for it.
struct InboxPlaces {
    /// A phone or a mailbox.
    enum Place: Hashable {
        case phone(PhoneNumber)
        case mailbox(String)

        /// Reads an address as people write it.
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
        var waiting: [Arrival<OneTimeCode>] = []
    }

    var failure: DeliveryFailure?
    private var places: [Place: Arrivals] = [:]

    func codes(of place: Place) -> [OneTimeCode] {
        places[place]?.codes ?? []
    }

    func messages(to place: Place) -> [Message] {
        places[place]?.messages ?? []
    }

    mutating func take(for place: Place, or arrival: Arrival<OneTimeCode>) -> OneTimeCode? {
        var arrivals = places[place] ?? Arrivals()
        defer { places[place] = arrivals }
        guard arrivals.taken < arrivals.codes.count else {
            arrivals.waiting.append(arrival)
            return nil
        }
        arrivals.taken = arrivals.codes.count
        return arrivals.codes.last
    }

    /// Lets go of somebody who does not want the code any more, and keeps it for the next if it was on its way.
    mutating func withdraw(_ arrival: Arrival<OneTimeCode>, for place: Place) {
        guard var arrivals = places[place] else { return }
        if let index = arrivals.waiting.firstIndex(where: { $0 === arrival }) {
            arrivals.waiting.remove(at: index)
        } else {
            arrivals.taken -= 1
        }
        places[place] = arrivals
    }

    /// Adds a message, once, however often it is delivered.
    ///
    /// - Returns: Who takes its code at once.
    mutating func add(_ message: Message, _ code: OneTimeCode?, for place: Place) -> Arrival<OneTimeCode>? {
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
