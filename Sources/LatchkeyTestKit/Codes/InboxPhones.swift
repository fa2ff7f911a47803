import LatchkeyModel

/// What has come to which phone, and who waits for it.
struct InboxPhones {
    private struct Phone {
        var codes: [OneTimeCode] = []
        var taken = 0
        var messages: Set<Identifier> = []
        var waiting: [Arrival<OneTimeCode>] = []
    }

    var failure: DeliveryFailure?
    private var phones: [PhoneNumber: Phone] = [:]

    func codes(of phone: PhoneNumber) -> [OneTimeCode] {
        phones[phone]?.codes ?? []
    }

    mutating func take(for number: PhoneNumber, or arrival: Arrival<OneTimeCode>) -> OneTimeCode? {
        var phone = phones[number] ?? Phone()
        defer { phones[number] = phone }
        guard phone.taken < phone.codes.count else {
            phone.waiting.append(arrival)
            return nil
        }
        phone.taken = phone.codes.count
        return phone.codes.last
    }

    /// Lets go of somebody who does not want the code any more, and keeps it for the next if it was on its way.
    mutating func withdraw(_ arrival: Arrival<OneTimeCode>, for number: PhoneNumber) {
        guard var phone = phones[number] else { return }
        if let place = phone.waiting.firstIndex(where: { $0 === arrival }) {
            phone.waiting.remove(at: place)
        } else {
            phone.taken -= 1
        }
        phones[number] = phone
    }

    /// Adds a code, once for each message, however often it is delivered.
    ///
    /// - Returns: Who takes it at once.
    mutating func add(_ code: OneTimeCode, for number: PhoneNumber, id: Identifier) -> Arrival<OneTimeCode>? {
        var phone = phones[number] ?? Phone()
        defer { phones[number] = phone }
        guard phone.messages.insert(id).inserted else { return nil }
        phone.codes.append(code)
        guard !phone.waiting.isEmpty else { return nil }
        phone.taken = phone.codes.count
        return phone.waiting.removeFirst()
    }
}
