extension MessageText {
    /// The texts in Norwegian Bokmål.
    static func norwegian(_ kind: MessageKind) -> MessageText {
        switch kind {
        case .loginCode:
            code(
                "innloggingskoden",
                "Noen har bedt om å logge inn{{at_app}} med adressen {{address}}. Hvis det var deg, skriver du inn denne koden:",
                "Hvis det ikke var deg, trenger du ikke å gjøre noe: Ingen kommer inn uten koden."
            )
        case .registrationCode:
            code(
                "registreringskoden",
                "Noen har bedt om å opprette en konto{{at_app}} med adressen {{address}}. Hvis det var deg, skriver du inn denne koden:",
                "Hvis det ikke var deg, trenger du ikke å gjøre noe: Ingen konto blir opprettet uten koden."
            )
        case .verificationCode:
            code(
                "bekreftelseskoden",
                "Noen har oppgitt {{address}} som adressen sin{{at_app}}. Hvis det var deg, bekrefter du den med denne koden:",
                "Hvis det ikke var deg, trenger du ikke å gjøre noe: Adressen blir ikke bekreftet uten koden."
            )
        case .recoveryCode:
            code(
                "gjenopprettingskoden",
                "Noen har bedt om å få tilbake tilgangen til kontoen{{at_app}} som har adressen {{address}}. Hvis det var deg, skriver du inn denne koden:",
                "Hvis det ikke var deg, trenger du ikke å gjøre noe: Ingen kommer inn uten koden."
            )
        case .recoveryOfUnknown:
            MessageText(
                sms:
                    "Noen har bedt om tilgang til en konto{{at_app}} med dette nummeret, men ingen konto har det. Var det ikke deg, trenger du ikke å gjøre noe.",
                subject: "Ingen konto{{at_app}} har denne adressen",
                mail:
                    "Noen har bedt om å få tilbake tilgangen til en konto{{at_app}} med adressen {{address}}, men ingen konto har denne adressen.",
                "Hvis det var deg, kan du prøve en annen adresse som du kan ha brukt. Hvis det ikke var deg, trenger du ikke å gjøre noe."
            )
        case .verificationOfUnknown:
            MessageText(
                sms:
                    "Noen har bedt om å bekrefte dette nummeret{{at_app}}, men ingen konto har det. Var det ikke deg, trenger du ikke å gjøre noe.",
                subject: "Ingen konto{{at_app}} har denne adressen",
                mail:
                    "Noen har bedt om å bekrefte adressen {{address}}{{at_app}}, men ingen konto har denne adressen.",
                "Hvis det var deg, kan du prøve en annen adresse som du kan ha brukt. Hvis det ikke var deg, trenger du ikke å gjøre noe."
            )
        case .passwordChanged:
            MessageText(
                sms:
                    "Passordet til kontoen din{{at_app}} er endret. Hvis det ikke var deg, må du gjenopprette kontoen med en gang.",
                subject: "Passordet ditt{{at_app}} er endret",
                mail: "Passordet til kontoen{{at_app}} som har adressen {{address}}, er endret.",
                "Hvis det var deg, trenger du ikke å gjøre noe.",
                "Hvis det ikke var deg, har noen andre tilgang til kontoen: Gjenopprett den med en gang og velg et nytt passord."
            )
        case .addressChanged:
            MessageText(
                sms:
                    "Kontoen din{{at_app}} har fått et annet nummer. Hvis det ikke var deg, må du ta kontakt med tjenesten med en gang.",
                subject: "Adressen din{{at_app}} er endret",
                mail: "Kontoen{{at_app}} som hadde adressen {{address}}, har fått en annen adresse.",
                "Hvis det var deg, trenger du ikke å gjøre noe.",
                "Hvis det ikke var deg, har noen andre tilgang til kontoen: Ta kontakt med tjenesten med en gang."
            )
        case .registrationAttempted:
            MessageText(
                sms:
                    "Noen har prøvd å opprette en konto{{at_app}} med dette nummeret, men du har allerede en. Var det ikke deg, trenger du ikke å gjøre noe.",
                subject: "Du har allerede en konto{{at_app}}",
                mail:
                    "Noen har prøvd å opprette en konto{{at_app}} med adressen {{address}}, men den hører allerede til en konto.",
                "Hvis det var deg, kan du logge inn, eller gjenopprette kontoen hvis du har glemt passordet.",
                "Hvis det ikke var deg, trenger du ikke å gjøre noe: Kontoen din er som før."
            )
        }
    }

    private static func code(_ name: String, _ why: String, _ otherwise: String) -> MessageText {
        MessageText(
            sms:
                "{{code}} er \(name) din{{for_app}}. Den er gyldig i {{lifespan}}. Gi den aldri til noen.",
            subject: "\(name.prefix(1).uppercased())\(name.dropFirst()) din{{for_app}}",
            mail: why,
            "{{code}}",
            "Den er gyldig i {{lifespan}}. Gi den aldri til noen, heller ikke til folk som sier at de jobber hos oss.",
            otherwise
        )
    }
}
