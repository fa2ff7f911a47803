extension MessageText {
    /// Returns the Norwegian (Bokmål) text for the given kind of message.
    static func norwegian(_ kind: MessageKind) -> MessageText {
        switch kind {
        case .loginCode:
            code(
                "innloggingskoden",
                sms: "logge inn{{at_app}}",
                mail: "logge inn{{at_app}} med {{address}}",
                without: "Ingen kan logge inn uten koden"
            )
        case .registrationCode:
            code(
                "registreringskoden",
                sms: "opprette en konto{{at_app}}",
                mail: "opprette en konto{{at_app}} med {{address}}",
                without: "Ingen konto blir opprettet uten koden"
            )
        case .verificationCode:
            code(
                "bekreftelseskoden",
                sms: "bekrefte dette nummeret{{at_app}}",
                mail: "bekrefte adressen {{address}}{{at_app}}",
                without: "Adressen blir ikke bekreftet uten koden"
            )
            .confirmed(at: "Eller fortsett på denne siden: {{link}}")
        case .signUpLink:
            code(
                "bekreftelseskoden",
                sms: "bekrefte kontoen din{{at_app}}",
                mail: "opprette en konto{{at_app}} med {{address}}",
                without: "Kontoen blir ikke bekreftet uten koden"
            )
            .confirmed(
                at: "Eller bekreft adressen på denne siden, og gå tilbake til appen derfra: {{link}}"
            )
        case .recoveryCode:
            code(
                "gjenopprettingskoden",
                sms: "gjenopprette kontoen din{{at_app}}",
                mail: "gjenopprette kontoen{{at_app}} med adressen {{address}}",
                without: "Ingen kan gjenopprette kontoen uten koden"
            )
            .confirmed(at: "Eller fortsett på denne siden: {{link}}")
        case .recoveryOfUnknown:
            MessageText(
                sms:
                    "Noen ba om å gjenopprette en konto{{at_app}} med dette nummeret, men det finnes ingen slik konto. Var det ikke deg, kan du se bort fra meldingen.",
                subject: "Det finnes ingen konto{{at_app}} med denne adressen",
                mail:
                    "Vi har fått en forespørsel{{from_ip_address}} om å gjenopprette en konto{{at_app}} med {{address}}, men det finnes ingen konto med denne adressen.",
                "Hvis det var deg, kan du prøve en annen adresse som du kanskje har brukt. Hvis det ikke var deg, kan du se bort fra denne meldingen."
            )
        case .verificationOfUnknown:
            MessageText(
                sms:
                    "Noen ba om å bekrefte dette nummeret{{at_app}}, men det hører ikke til noen konto. Var det ikke deg, kan du se bort fra meldingen.",
                subject: "Det finnes ingen konto{{at_app}} med denne adressen",
                mail:
                    "Vi har fått en forespørsel{{from_ip_address}} om å bekrefte adressen {{address}}{{at_app}}, men det finnes ingen konto med denne adressen.",
                "Hvis det var deg, kan du prøve en annen adresse som du kanskje har brukt. Hvis det ikke var deg, kan du se bort fra denne meldingen."
            )
        case .passwordChanged:
            MessageText(
                sms:
                    "Passordet ditt{{at_app}} ble endret{{from_ip_address}}. Var det ikke deg, må du gjenopprette kontoen med en gang.",
                subject: "Passordet ditt{{at_app}} er endret",
                mail: "Passordet til kontoen din{{at_app}} ({{address}}) ble endret{{from_ip_address}}.",
                "Hvis det var deg, trenger du ikke å gjøre noe.",
                "Hvis det ikke var deg, har noen andre tilgang til kontoen. Gjenopprett den med en gang, og velg et nytt passord."
            )
        case .addressChanged:
            MessageText(
                sms:
                    "E-postadressene eller telefonnumrene på kontoen din{{at_app}} ble endret{{from_ip_address}}. Var det ikke deg, må du kontakte oss straks.",
                subject: "Kontaktopplysningene dine{{at_app}} er endret",
                mail:
                    "E-postadressene eller telefonnumrene på kontoen din{{at_app}} ble endret{{from_ip_address}}. Du får denne meldingen fordi {{address}} var en bekreftet adresse på kontoen før endringen.",
                "Hvis det var deg, trenger du ikke å gjøre noe.",
                "Hvis det ikke var deg, har noen andre tilgang til kontoen. Gjenopprett den med en gang, eller kontakt oss hvis det ikke går."
            )
        case .addressVerified:
            MessageText(
                sms:
                    "En annen adresse på kontoen din{{at_app}} ble bekreftet{{from_ip_address}}. Er dette uventet, bør du logge inn og sjekke kontaktopplysningene.",
                subject: "En adresse på kontoen din{{at_app}} ble bekreftet",
                mail:
                    "Noen har bekreftet en annen e-postadresse eller et annet telefonnummer på kontoen din{{at_app}} ({{address}}){{from_ip_address}}. Det ble gjort uten innlogging, med en kode som vi hadde sendt til denne adressen eller dette nummeret.",
                "Hvis det var deg, trenger du ikke å gjøre noe.",
                "Hvis dette er uventet, bør du logge inn og sjekke kontaktopplysningene dine."
            )
        case .entryRefused:
            MessageText(
                sms:
                    "Vi stoppet en innlogging{{at_app}}{{from_ip_address}} med ubekreftet adresse. Var det deg, logg inn på en annen måte og bekreft den. Hvis ikke, fjern den.",
                subject: "Vi stoppet en innlogging på kontoen din{{at_app}}",
                mail:
                    "Noen har prøvd å logge inn på kontoen din{{at_app}} ({{address}}){{from_ip_address}}. Koden var riktig, men vi hadde sendt den til en e-postadresse eller et telefonnummer som står på kontoen din uten å være bekreftet. Vi stoppet innloggingen.",
                "Hvis det var deg, logger du inn med passordet ditt eller en bekreftet adresse og bekrefter deretter den ubekreftede adressen i innstillingene.",
                "Hvis det ikke var deg, bør du fjerne den ubekreftede adressen fra kontoen."
            )
        case .accountRecovered:
            MessageText(
                sms:
                    "Kontoen din{{at_app}} ble gjenopprettet{{from_ip_address}}. Andre enheter ble logget ut. Var det ikke deg, gjenopprett den straks og bytt passord.",
                subject: "Kontoen din{{at_app}} ble gjenopprettet",
                mail:
                    "Kontoen din{{at_app}} ({{address}}) ble gjenopprettet{{from_ip_address}} med en kode. Alle andre enheter ble logget ut.",
                "Hvis det var deg, trenger du ikke å gjøre noe.",
                "Hvis det ikke var deg, har noen andre tilgang til kontoen. Gjenopprett den med en gang, og velg et nytt passord."
            )
        case .deviceAdded:
            MessageText(
                sms:
                    "En ny enhet ble lagt til på kontoen din{{at_app}}{{from_ip_address}}. Var det ikke deg, bytt passord med en gang. Da logges andre enheter ut.",
                subject: "Ny enhet på kontoen din{{at_app}}",
                mail:
                    "En ny enhet ble lagt til på kontoen din{{at_app}} ({{address}}){{from_ip_address}}.",
                "Hvis det var deg, trenger du ikke å gjøre noe.",
                "Hvis det ikke var deg, må du bytte passord med en gang. Da blir de andre enhetene dine logget ut."
            )
        case .registrationAttempted:
            MessageText(
                sms:
                    "Noen har prøvd å opprette en konto{{at_app}} med dette nummeret, men du har allerede en. Var det ikke deg, kan du se bort fra meldingen.",
                subject: "Du har allerede en konto{{at_app}}",
                mail:
                    "Vi har fått en forespørsel{{from_ip_address}} om å opprette en konto{{at_app}} med {{address}}, men adressen hører allerede til en konto.",
                "Hvis det var deg, kan du logge inn, eller gjenopprette kontoen hvis du har glemt passordet.",
                "Hvis det ikke var deg, kan du se bort fra denne meldingen: Kontoen din er ikke endret."
            )
        case .deletionScheduled:
            MessageText(
                sms:
                    "Kontoen din{{at_app}} slettes om {{lifespan}}. Logg inn før det hvis du vil beholde den. Var det ikke deg, logg inn nå og bytt passord.",
                subject: "Kontoen din{{at_app}} blir slettet",
                mail:
                    "Vi har fått en forespørsel{{from_ip_address}} om å slette kontoen din{{at_app}} ({{address}}). Alle enheter er logget ut, og vi sletter kontoen med alle opplysninger om {{lifespan}}.",
                "Hvis du ombestemmer deg, kan du logge inn før det. Da beholder du kontoen.",
                "Hvis det ikke var deg, bør du logge inn med en gang for å beholde kontoen, og så bytte passord."
            )
        case .deletionCancelled:
            MessageText(
                sms:
                    "Kontoen din{{at_app}} blir ikke slettet, fordi noen logget inn{{from_ip_address}}. Var det ikke deg, gjenopprett den straks og bytt passord.",
                subject: "Kontoen din{{at_app}} blir ikke slettet",
                mail:
                    "Noen har logget inn på kontoen din{{at_app}} ({{address}}){{from_ip_address}}. Derfor blir kontoen ikke slettet.",
                "Hvis det var deg, trenger du ikke å gjøre noe. Du kan når som helst slette kontoen på nytt.",
                "Hvis det ikke var deg, har noen andre tilgang til kontoen. Gjenopprett den med en gang, og velg et nytt passord."
            )
        case .paymentMethodAdded:
            MessageText(
                sms:
                    "Kortet {{item}} ble lagt til på kontoen din{{at_app}}{{from_ip_address}}. Var det ikke deg, bytt passord med en gang og fjern kortet.",
                subject: "Nytt kort på kontoen din{{at_app}}",
                mail:
                    "Kortet {{item}} ble lagt til på kontoen din{{at_app}} ({{address}}){{from_ip_address}}. Det kan nå brukes til kjøp.",
                "Hvis det var deg, trenger du ikke å gjøre noe.",
                "Hvis det ikke var deg, må du bytte passord med en gang og fjerne kortet."
            )
        case .receipt:
            MessageText(
                sms:
                    "Kvittering{{for_app}}: {{item}}, {{amount}}. Var det ikke deg, bytt passord med en gang og kontakt oss.",
                subject: "Kvitteringen din{{for_app}}: {{item}}",
                mail: "Takk for kjøpet{{at_app}} ({{address}}).",
                "{{item}}: {{amount}}",
                "Referanse: {{reference}}",
                "Hvis du ikke har kjøpt dette, må du bytte passord med en gang og kontakte oss."
            )
        }
    }

    /// Returns the text of a message with a code.
    ///
    /// `consequence` completes the sentence "kan du se bort fra denne meldingen: …".
    private static func code(
        _ name: String,
        sms shortAction: String,
        mail action: String,
        without consequence: String
    ) -> MessageText {
        MessageText(
            sms:
                "{{code}} er koden din for å \(shortAction){{from_ip_address}}. Gyldig i {{lifespan}}. Del den aldri med noen.",
            subject: "\(name.prefix(1).uppercased())\(name.dropFirst()) din{{for_app}}",
            mail:
                "Vi har fått en forespørsel{{from_ip_address}} om å \(action). Hvis det var deg, skriver du inn denne koden:",
            "{{code}}",
            "Koden er gyldig i {{lifespan}}. Del den aldri med noen, heller ikke med folk som sier at de jobber hos oss.",
            "Hvis det ikke var deg, kan du se bort fra denne meldingen: \(consequence)."
        )
    }
}
