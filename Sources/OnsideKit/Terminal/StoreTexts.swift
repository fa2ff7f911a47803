import LatchkeyPurchases
import LatchkeyTerminal

/// The texts of the payment method screens in one language.
struct StoreTexts: Sendable {
    let title: String
    /// The line that names the user's account.
    let account: @Sendable (String) -> String
    let empty: String
    /// The label that is shown next to the default payment method.
    let isDefault: String
    /// The menu items.
    let add: String
    let makeDefault: String
    let remove: String
    let done: String
    let tryAgain: String
    /// The prompt for choosing a menu item.
    let action: String
    /// The prompt for choosing a payment method.
    let which: String
    /// The error for input that is not one of the numbered choices.
    let invalidChoice: @Sendable (Int) -> String
    /// The note that only test card numbers are accepted.
    let sandbox: String
    let cardNumber: String
    /// The question that asks the user to approve a payment.
    ///
    /// The arguments are the price and the product.
    let confirm: @Sendable (String, String) -> String
    /// The letters for "yes" and "no" in lowercase.
    let yes: String
    let no: String
    let sending: String
    /// The error messages.
    let cardNotAccepted: String
    let tooManyCards: String
    let offline: String
    let loggedOut: String
    let failed: String

    /// Returns the texts in the given language.
    static func texts(in language: UILanguage) -> StoreTexts {
        switch language {
        case .english: .english
        case .norwegian: .norwegian
        case .swedish: .swedish
        case .finnish: .finnish
        }
    }

    /// Returns the error message to show for a failed request.
    func text(for error: PurchaseError) -> String {
        switch error.code {
        case .cardNotAccepted: cardNotAccepted
        case .tooManyPaymentMethods: tooManyCards
        case .unavailable: offline
        case .loginRequired: loggedOut
        default: failed
        }
    }
}

extension StoreTexts {
    private static let english = StoreTexts(
        title: "Payment methods",
        account: { "You are logged in as \($0)." },
        empty: "You have no payment methods yet.",
        isDefault: "default",
        add: "Add a card",
        makeDefault: "Choose the default card",
        remove: "Remove a card",
        done: "Done",
        tryAgain: "Try again",
        action: "What would you like to do?",
        which: "Which card?",
        invalidChoice: { "Enter a number from 1 to \($0)." },
        sandbox: "This is a sandbox: use a test number such as 4242 4242 4242 4242, never a real card.",
        cardNumber: "Card number",
        confirm: { "Pay \($0) for \($1)?" },
        yes: "y",
        no: "n",
        sending: "Sending…",
        cardNotAccepted: "This card is not accepted. Use one of the test numbers.",
        tooManyCards: "You have too many cards. Remove one first.",
        offline: "The store cannot be reached. Check your connection and try again.",
        loggedOut: "You are logged out.",
        failed: "That did not work. Try again."
    )

    private static let norwegian = StoreTexts(
        title: "Betalingsmåter",
        account: { "Du er logget inn som \($0)." },
        empty: "Du har ingen betalingsmåter ennå.",
        isDefault: "standard",
        add: "Legg til et kort",
        makeDefault: "Velg standardkort",
        remove: "Fjern et kort",
        done: "Ferdig",
        tryAgain: "Prøv igjen",
        action: "Hva vil du gjøre?",
        which: "Hvilket kort?",
        invalidChoice: { "Skriv inn et tall fra 1 til \($0)." },
        sandbox: "Dette er en sandkasse: Bruk et testnummer som 4242 4242 4242 4242, aldri et ekte kort.",
        cardNumber: "Kortnummer",
        confirm: { "Vil du betale \($0) for \($1)?" },
        yes: "j",
        no: "n",
        sending: "Sender …",
        cardNotAccepted: "Kortet godtas ikke. Bruk et av testnumrene.",
        tooManyCards: "Du har for mange kort. Fjern et først.",
        offline: "Vi får ikke kontakt med butikken. Sjekk tilkoblingen, og prøv igjen.",
        loggedOut: "Du er logget ut.",
        failed: "Det gikk ikke. Prøv igjen."
    )

    private static let swedish = StoreTexts(
        title: "Betalningssätt",
        account: { "Du är inloggad som \($0)." },
        empty: "Du har inga betalningssätt än.",
        isDefault: "standard",
        add: "Lägg till ett kort",
        makeDefault: "Välj standardkort",
        remove: "Ta bort ett kort",
        done: "Klar",
        tryAgain: "Försök igen",
        action: "Vad vill du göra?",
        which: "Vilket kort?",
        invalidChoice: { "Ange ett tal från 1 till \($0)." },
        sandbox:
            "Det här är en sandlåda: använd ett testnummer som 4242 4242 4242 4242, aldrig ett riktigt kort.",
        cardNumber: "Kortnummer",
        confirm: { "Vill du betala \($0) för \($1)?" },
        yes: "j",
        no: "n",
        sending: "Skickar …",
        cardNotAccepted: "Kortet godtas inte. Använd ett av testnumren.",
        tooManyCards: "Du har för många kort. Ta bort ett först.",
        offline: "Det går inte att nå butiken. Kontrollera anslutningen och försök igen.",
        loggedOut: "Du är utloggad.",
        failed: "Det gick inte. Försök igen."
    )

    private static let finnish = StoreTexts(
        title: "Maksutavat",
        account: { "Olet kirjautunut tilille \($0)." },
        empty: "Sinulla ei ole vielä maksutapoja.",
        isDefault: "oletus",
        add: "Lisää kortti",
        makeDefault: "Valitse oletuskortti",
        remove: "Poista kortti",
        done: "Valmis",
        tryAgain: "Yritä uudelleen",
        action: "Mitä haluat tehdä?",
        which: "Mikä kortti?",
        invalidChoice: { "Anna luku väliltä 1–\($0)." },
        sandbox: "Tämä on testiympäristö: käytä testinumeroa, kuten 4242 4242 4242 4242, älä oikeaa korttia.",
        cardNumber: "Kortin numero",
        confirm: { "Maksetaanko \($0) tuotteesta \($1)?" },
        yes: "k",
        no: "e",
        sending: "Lähetetään…",
        cardNotAccepted: "Korttia ei hyväksytä. Käytä jotakin testinumeroista.",
        tooManyCards: "Sinulla on liian monta korttia. Poista ensin yksi.",
        offline: "Kauppaan ei saada yhteyttä. Tarkista yhteys ja yritä uudelleen.",
        loggedOut: "Olet kirjautunut ulos.",
        failed: "Se ei onnistunut. Yritä uudelleen."
    )
}
