import LatchkeyCourier
import LatchkeyModel

/// The delivered messages, keyed by recipient, and the tasks that are waiting for codes.
struct InboxState {
    private struct Mailbox {
        var messages: [Message] = []
        var codes: [OneTimeCode] = []
        /// The number of codes that have been returned or skipped.
        var returnedCount = 0
        var waiting: [OneShot<OneTimeCode>] = []
        /// The waiter that received the most recently returned code, or `nil` if that code was returned
        /// immediately.
        var lastReceiver: OneShot<OneTimeCode>?
    }

    /// The failure that all deliveries throw, or `nil` if deliveries succeed.
    var failure: DeliveryFailure?
    private var mailboxes: [ContactAddress: Mailbox] = [:]

    /// Returns all codes that were sent to an address, oldest first.
    func codes(of address: ContactAddress) -> [OneTimeCode] {
        mailboxes[address]?.codes ?? []
    }

    /// Returns all messages that were sent to an address, with and without codes, oldest first.
    func messages(to address: ContactAddress) -> [Message] {
        mailboxes[address]?.messages ?? []
    }

    /// Returns the latest code if it hasn't been returned before.
    ///
    /// Otherwise, enqueues `waiter` for the next code and returns `nil`.
    ///
    /// Earlier codes that haven't been returned are skipped.
    mutating func takeCode(for address: ContactAddress, orEnqueue waiter: OneShot<OneTimeCode>)
        -> OneTimeCode?
    {
        var mailbox = mailboxes[address] ?? Mailbox()
        defer { mailboxes[address] = mailbox }
        guard mailbox.returnedCount < mailbox.codes.count else {
            mailbox.waiting.append(waiter)
            return nil
        }
        mailbox.returnedCount = mailbox.codes.count
        mailbox.lastReceiver = nil
        return mailbox.codes.last
    }

    /// Returns what may explain why there is no new code for an address.
    func absence(of address: ContactAddress) -> String {
        var sentences: [String] = []
        if failure != nil { sentences.append("The test has made all deliveries fail.") }
        let count = codes(of: address).count
        if count > 0 { sentences.append("Codes that have already been returned: \(count).") }
        let others = mailboxes.filter { $0.key != address && !$0.value.codes.isEmpty }.keys.map(\.value)
            .sorted()
        let list = others.isEmpty ? "none" : others.joined(separator: ", ")
        sentences.append("Other addresses that codes were sent to: \(list).")
        return sentences.joined(separator: " ")
    }

    /// Removes a cancelled waiter.
    ///
    /// If the waiter was the last one to be given a code, that code becomes available again.
    mutating func removeWaiter(_ waiter: OneShot<OneTimeCode>, for address: ContactAddress) {
        guard var mailbox = mailboxes[address] else { return }
        if let index = mailbox.waiting.firstIndex(where: { $0 === waiter }) {
            mailbox.waiting.remove(at: index)
        } else if mailbox.lastReceiver === waiter {
            mailbox.lastReceiver = nil
            mailbox.returnedCount -= 1
        }
        mailboxes[address] = mailbox
    }

    /// Stores a message.
    ///
    /// Delivering the same message again has no effect.
    ///
    /// - Returns: The waiter that must receive the code from the caller, or `nil` if there is no new code or
    ///   no test is waiting for it.
    mutating func add(_ message: Message, code: OneTimeCode?, for address: ContactAddress) -> OneShot<
        OneTimeCode
    >? {
        var mailbox = mailboxes[address] ?? Mailbox()
        defer { mailboxes[address] = mailbox }
        guard !mailbox.messages.contains(where: { $0.id == message.id }) else { return nil }
        mailbox.messages.append(message)
        guard let code else { return nil }
        mailbox.codes.append(code)
        guard !mailbox.waiting.isEmpty else { return nil }
        mailbox.returnedCount = mailbox.codes.count
        let waiter = mailbox.waiting.removeFirst()
        mailbox.lastReceiver = waiter
        return waiter
    }
}
