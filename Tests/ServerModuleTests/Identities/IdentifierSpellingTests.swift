import LatchkeyAccounts
import LatchkeyModel
import TestSpellings
import Testing

@Suite struct `Spellings of identifiers` {
    @Test(arguments: TypedSpellings.phones + TypedSpellings.emails + TypedSpellings.names)
    func `An identifier has one value in every spelling`(_ spelling: TypedSpellings.Text) {
        let normalized = LoginIdentifier.normalize(spelling.typed)
        #expect(normalized.utf8.elementsEqual(LoginIdentifier.normalize(normalized).utf8))
        guard let value = spelling.value else { return }
        #expect(normalized.utf8.elementsEqual(value.utf8))
    }

    @Test(arguments: TypedSpellings.phones + TypedSpellings.emails)
    func `Text that is not an address stays something else`(_ spelling: TypedSpellings.Text) {
        let address = ContactAddress(LoginIdentifier.normalize(spelling.typed))
        #expect(address?.value == spelling.value)
    }
}
