extension MessageText {
    /// The Finnish texts.
    static func finnish(_ kind: MessageKind) -> MessageText {
        switch kind {
        case .loginCode:
            code(
                "kirjautumiskoodisi",
                "Osoitteella {{address}} on pyydetty kirjautumista{{at_app}}. Jos pyytäjä olit sinä, anna tämä koodi:",
                "Jos se et ollut sinä, sinun ei tarvitse tehdä mitään: kukaan ei pääse sisään ilman koodia."
            )
        case .registrationCode:
            code(
                "rekisteröitymiskoodisi",
                "Osoitteella {{address}} on pyydetty uuden tilin avaamista{{at_app}}. Jos pyytäjä olit sinä, anna tämä koodi:",
                "Jos se et ollut sinä, sinun ei tarvitse tehdä mitään: tiliä ei avata ilman koodia."
            )
        case .verificationCode:
            code(
                "vahvistuskoodisi",
                "Joku on ilmoittanut osoitteekseen {{address}}{{at_app}}. Jos se olit sinä, vahvista osoite tällä koodilla:",
                "Jos se et ollut sinä, sinun ei tarvitse tehdä mitään: osoitetta ei vahvisteta ilman koodia."
            )
        case .recoveryCode:
            code(
                "palautuskoodisi",
                "Osoitteella {{address}} on pyydetty tilin palauttamista{{at_app}}. Jos pyytäjä olit sinä, anna tämä koodi:",
                "Jos se et ollut sinä, sinun ei tarvitse tehdä mitään: kukaan ei pääse sisään ilman koodia."
            )
        case .recoveryOfUnknown:
            MessageText(
                sms:
                    "Tällä numerolla on pyydetty tilin palauttamista{{at_app}}, mutta millään tilillä ei ole sitä. Jos se et ollut sinä, älä tee mitään.",
                subject: "Millään tilillä{{at_app}} ei ole tätä osoitetta",
                mail:
                    "Osoitteella {{address}} on pyydetty tilin palauttamista{{at_app}}, mutta millään tilillä ei ole tätä osoitetta.",
                "Jos pyytäjä olit sinä, kokeile toista osoitetta, jota olet voinut käyttää. Jos se et ollut sinä, sinun ei tarvitse tehdä mitään."
            )
        case .verificationOfUnknown:
            MessageText(
                sms:
                    "Tämän numeron vahvistamista on pyydetty{{at_app}}, mutta millään tilillä ei ole sitä. Jos se et ollut sinä, älä tee mitään.",
                subject: "Millään tilillä{{at_app}} ei ole tätä osoitetta",
                mail:
                    "Osoitteen {{address}} vahvistamista on pyydetty{{at_app}}, mutta millään tilillä ei ole tätä osoitetta.",
                "Jos pyytäjä olit sinä, kokeile toista osoitetta, jota olet voinut käyttää. Jos se et ollut sinä, sinun ei tarvitse tehdä mitään."
            )
        case .passwordChanged:
            MessageText(
                sms:
                    "Tilisi salasana{{at_app}} on vaihdettu. Jos se et ollut sinä, palauta tili heti.",
                subject: "Salasanasi{{at_app}} on vaihdettu",
                mail: "Sen tilin salasana{{at_app}}, jolla on osoite {{address}}, on vaihdettu.",
                "Jos vaihtaja olit sinä, sinun ei tarvitse tehdä mitään.",
                "Jos se et ollut sinä, joku muu pääsee tilillesi: palauta tili heti ja valitse uusi salasana."
            )
        case .addressChanged:
            MessageText(
                sms:
                    "Tilisi numero{{at_app}} on vaihdettu toiseen. Jos se et ollut sinä, ota heti yhteyttä palveluun.",
                subject: "Osoitteesi{{at_app}} on vaihdettu",
                mail: "Tilille{{at_app}}, jolla oli osoite {{address}}, on vaihdettu toinen osoite.",
                "Jos vaihtaja olit sinä, sinun ei tarvitse tehdä mitään.",
                "Jos se et ollut sinä, joku muu pääsee tilillesi: ota heti yhteyttä palveluun."
            )
        case .registrationAttempted:
            MessageText(
                sms:
                    "Tällä numerolla on yritetty avata tili{{at_app}}, mutta sinulla on jo tili. Jos se et ollut sinä, älä tee mitään.",
                subject: "Sinulla on jo tili{{at_app}}",
                mail:
                    "Osoitteella {{address}} on yritetty avata tili{{at_app}}, mutta osoite kuuluu jo tilille.",
                "Jos yrittäjä olit sinä, kirjaudu sisään tai palauta tili, jos olet unohtanut salasanan.",
                "Jos se et ollut sinä, sinun ei tarvitse tehdä mitään: tilisi on ennallaan."
            )
        }
    }

    private static func code(_ name: String, _ why: String, _ otherwise: String) -> MessageText {
        MessageText(
            sms:
                "{{code}} on \(name){{for_app}}. Se on voimassa {{lifespan}}. Älä anna sitä kenellekään.",
            subject: "\(name.prefix(1).uppercased())\(name.dropFirst()){{for_app}}",
            mail: why,
            "{{code}}",
            "Se on voimassa {{lifespan}}. Älä anna sitä kenellekään, et edes niille, jotka sanovat olevansa meillä töissä.",
            otherwise
        )
    }
}
